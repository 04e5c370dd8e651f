import { Injectable } from '@nestjs/common';
import type { GateFinding, GateName } from '../domain/gate-finding.js';
import { BACKOFF } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { pauseAfter } from '../domain/side-pause.js';
import type { FieldOutcome, SentValue } from '../domain/write-back-journal.js';
import { IMAGE_ALTS, imageOfTarget } from '../domain/write-target.js';
import { CRASHES_MOST, DATABASE_BACK_MS } from '../persistence/crash-count.js';
import type { StoreProductEntity, WriteBackEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import {
  WriteBackRepository,
  type HeldBack,
  type WriteBackEnd,
} from '../persistence/write-back.repository.js';
import { WriteCapRepository } from '../persistence/write-cap.repository.js';
import { DatabaseAwayError } from '../persistence/statement-error.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { contentFingerprint } from '../planner/content-fingerprint.js';
import { beforeImage, type FieldDecision } from '../planner/field-verdict.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { repeatFor } from '../runtime/time-limit.js';
import { Connections, type Store } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { findingsOf } from './gatekeeper.js';
import { givenUpBlind, givenUpSeen, Journal, supersededEnd, type Decided } from './journal.js';
import { LiveDecision } from './live-decision.js';
import { HoldLostError, ProductHold } from './product-hold.js';
import { send } from './send.js';

const BUSY_RETRY_MS = 2_000;
const PAUSED_RETRY_MS = 300_000;

export interface WriteBackResult {
  readonly id: string;
  readonly store: string;
  readonly state: WriteBackEnd['state'] | HeldBack['state'] | 'postponed';
  readonly reason: string;
  /** The number of fields that were left to the merchant. */
  readonly conflicts: number;
  /** The gates with a finding about a text, one entry for each finding. */
  readonly gates?: readonly GateName[];
}

/** Postponed by a limit on writes, with the reason. Nothing was sent. */
interface Capped {
  readonly capped: string;
}

/**
 * Writes generated content to the store (docs/decisions/0012-merchant-edits-win.md): reads the live values, decides field by field,
 * sends the least, and journals what the store then holds. One product is written by one worker at a time; a worker that
 * dies leaves a row that the next one can finish without writing twice.
 */
@Injectable()
export class WriteBackWriter {
  private readonly log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly writeBacks: WriteBackRepository,
    private readonly links: LinkRepository,
    private readonly pauses: SidePauseRepository,
    private readonly caps: WriteCapRepository,
    private readonly decision: LiveDecision,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'write-back' });
  }

  /** Processes one write-back. Returns null when it is not ready, or another worker has its product. */
  async write(id: string): Promise<WriteBackResult | null> {
    const row = await this.writeBacks.get(id);
    if (row?.state !== 'ready') return null;
    const paused = await this.pauses.store.forbids(row.store, 'writes');
    if (paused !== null)
      return this.#postponed(row, paused.code, paused.remainingMs, waitsFor(row.store, paused.reason));
    const hold = await ProductHold.take(this.links, row.externalId);
    if (hold === null) {
      await this.writeBacks.postpone(
        id,
        BUSY_RETRY_MS,
        'another write-back of the same product is under way',
        { failed: false },
      );
      return null;
    }
    killPoint('write-back.taken');
    try {
      return await hold.during(() => this.#toEnd(row, hold));
    } catch (error) {
      if (error instanceof DatabaseAwayError) await this.#uncountCrash(id);
      if (!(error instanceof HoldLostError)) throw error;
      // Not a fault: the row stays ready, and the worker that has the product, or the next one, ends it.
      this.log.info(
        { ...idsOf(row), code: 'hold_lost' },
        'write-back stopped: another worker has the product',
      );
      return null;
    }
  }

  /** The next attempt begins when the product's lease has ended. */
  async #uncountCrash(id: string): Promise<void> {
    await repeatFor(DATABASE_BACK_MS, () => this.writeBacks.uncountCrash(id)).catch(() => undefined);
  }

  async #toEnd(stale: WriteBackEntity, hold: ProductHold): Promise<WriteBackResult | null> {
    // Read again under the lease: the previous worker may have ended it.
    const [row, link] = await Promise.all([this.writeBacks.get(stale.id), this.links.get(stale.externalId)]);
    if (row?.state !== 'ready' || link === null) return null;
    const attempts = await this.writeBacks.begin(row.id);
    if (attempts === null) return null;
    const store = this.connections.findStore(row.store);
    // A person may approve it again.
    if (attempts > CRASHES_MOST) {
      const reason = `its writing began ${String(attempts - 1)} times in a row and never ended`;
      // Use only rows: reading the store may be the cause of the crashes.
      return this.#ended(row, hold, givenUpBlind(row, link.written ?? {}, reason), 'crashed');
    }
    if (!store)
      return this.#postponed(row, 'misconfigured', PAUSED_RETRY_MS, `store ${row.store} is not configured`);
    // The mode may have changed since the result came. What an attempt began to send is finished in any mode.
    const { mode } = store.settings.writeBack;
    const isBegun = Object.keys(row.sent).length > 0;
    if (mode === 'off' && !isBegun)
      return this.#postponed(row, 'write_back_off', PAUSED_RETRY_MS, 'writeBack.mode is off');
    if (mode === 'review' && !isBegun && row.decidedBy === null) return this.#heldBack(row, hold, FOR_REVIEW);
    try {
      const end = await this.#attempt(store, row, await this.#endCutOff(store, row, link, hold), hold);
      if ('findings' in end) return await this.#heldBack(row, hold, end);
      if ('capped' in end) {
        this.log.info({ ...idsOf(row), state: 'postponed', code: 'write_cap' }, 'write-back postponed');
        return postponed(row, end.capped);
      }
      if (end.fields.some(({ outcome }) => outcome === 'written'))
        await this.pauses.store.works(row.store, 'writes');
      return await this.#ended(row, hold, end, codeOf(end));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return this.#failedAttempt(store, row, error, hold);
    }
  }

  /**
   * Records the end. Throws `HoldLostError`, and logs no end, when the row or the product no longer belongs to this
   * worker.
   */
  async #ended(
    row: WriteBackEntity,
    hold: ProductHold,
    end: WriteBackEnd,
    code: string,
  ): Promise<WriteBackResult> {
    if (!(await this.writeBacks.end(row.id, row.externalId, hold.lease, withLeft(row, end))))
      throw new HoldLostError(row.externalId);
    killPoint('write-back.journaled');
    this.#logEnd(row, code, end);
    return resultOf(row, end);
  }

  /** Leaves a text to a person, or skips one with findings of a gate, as the store's settings say. Nothing was sent. */
  async #heldBack(row: WriteBackEntity, hold: ProductHold, held: HeldBack): Promise<WriteBackResult> {
    if (!(await this.writeBacks.holdBack(row.id, row.externalId, hold.lease, held)))
      throw new HoldLostError(row.externalId);
    const gates = [...new Set(held.findings.map(({ gate }) => gate))];
    const code = gates.length === 0 ? 'review' : 'gate';
    this.log.info({ ...idsOf(row), state: held.state, code, gates }, 'write-back held back');
    return {
      id: row.id,
      store: row.store,
      state: held.state,
      reason: held.reason,
      conflicts: 0,
      gates: held.findings.map(({ gate }) => gate),
    };
  }

  /**
   * Ends older results whose worker died in the middle, without sending anything. The values they left in the store
   * must be recorded as ours, or this result would treat them as the merchant's. Returns the link as it is then.
   */
  async #endCutOff(
    store: Store,
    row: WriteBackEntity,
    link: StoreProductEntity,
    hold: ProductHold,
  ): Promise<StoreProductEntity> {
    let current = link;
    for (const older of await this.writeBacks.cutOff(row)) {
      const found = await this.#decided(store, older, current);
      const left = found?.decisions.filter((decision) => decision.verdict === 'written_before') ?? [];
      await this.#ended(older, hold, supersededEnd(older, found, left, current), 'superseded');
      current = (await this.links.get(row.externalId)) ?? current;
    }
    return current;
  }

  async #failedAttempt(
    store: Store,
    row: WriteBackEntity,
    error: CodedError,
    hold: ProductHold,
  ): Promise<WriteBackResult> {
    const reason = errorLine(error);
    switch (reactionTo('write-back', error)) {
      case 'pause': {
        const pause = pauseAfter('write-back', error);
        if (pause?.side !== 'store') return this.#postponed(row, error.code, PAUSED_RETRY_MS, reason);
        const delayMs = await this.pauses.store.pause(row.store, pause);
        this.log.warn({ store: row.store, code: pause.code, delayMs }, 'the store is paused');
        return this.#postponed(row, pause.code, delayMs, waitsFor(row.store, pause.reason));
      }
      case 'wait':
        return this.#postponed(row, error.code, PAUSED_RETRY_MS, reason);
      case 'retry': {
        const random = (): number => this.clock.random();
        const delay = BACKOFF.outsideWork.delayMs(row.attempts + 1, random, error.retryAfterMs);
        if (delay !== null) return this.#postponed(row, error.code, delay, reason, { failed: true });
        break;
      }
      case 'owe':
      case 'give_up':
    }
    return this.#ended(row, hold, await this.#givenUp(store, row, reason), error.code);
  }

  /** Gives up without sending anything more. The journal records what the store has, if the store can be read. */
  async #givenUp(store: Store, stale: WriteBackEntity, reason: string): Promise<WriteBackEnd> {
    const [row, link] = await Promise.all([this.writeBacks.get(stale.id), this.links.get(stale.externalId)]);
    if (row === null || link === null) throw new HoldLostError(stale.externalId);
    try {
      const found = Object.keys(row.sent).length === 0 ? null : await this.#decided(store, row, link);
      if (found !== null) return givenUpSeen(row, found, reason);
    } catch (error) {
      // The store cannot be read, so the outcome of the sent values stays open.
      if (!(error instanceof CodedError)) throw error;
    }
    return givenUpBlind(row, link.written ?? {}, reason);
  }

  async #postponed(
    row: WriteBackEntity,
    code: string,
    delayMs: number,
    reason: string,
    attempt = { failed: false },
  ): Promise<WriteBackResult> {
    await this.writeBacks.postpone(row.id, delayMs, reason, attempt);
    this.log.warn({ ...idsOf(row), state: 'postponed', code, delayMs }, 'write-back postponed');
    return postponed(row, reason);
  }

  /** Reasons quote store responses and may contain a product's text, so they stay in the row. */
  #logEnd(row: WriteBackEntity, code: string, end: WriteBackEnd): void {
    const { state } = end;
    const fields = Object.fromEntries(end.fields.map(({ target, outcome }) => [target, outcome]));
    const line = { ...idsOf(row), state, code, fields };
    if (state === 'failed') this.log.warn(line, `write-back ${state}`);
    else this.log.info(line, `write-back ${state}`);
  }

  #decided(store: Store, row: WriteBackEntity, link: StoreProductEntity): Promise<Decided | null> {
    return this.decision.about(store, row, link, { released: row.overwriteEdits });
  }

  async #attempt(
    store: Store,
    row: WriteBackEntity,
    link: StoreProductEntity,
    hold: ProductHold,
  ): Promise<WriteBackEnd | HeldBack | Capped> {
    const found = await this.#decided(store, row, link);
    if (found === null) {
      // A product in the trash may be restored before the next scheduled run, which would never see that it was away.
      await this.links.announceGone(row.externalId);
      return goneEnd(row, link);
    }
    const beforeSend = hold.fence(this.clock);
    const { decisions } = found;
    // An approval passes the gates; so does what an earlier attempt began to send.
    const isGated = !row.passGates && Object.keys(row.sent).length === 0;
    const findings = isGated ? await findingsOf(store, found) : [];
    if (findings.length > 0) return heldBack(store, row, findings);
    const toWrite = decisions.filter((decision) => decision.verdict === 'write');
    const attempt = await this.caps.begin(row, sentValues(toWrite, row), store.writeLimits);
    if (attempt.kind === 'lost') throw new HoldLostError(row.externalId);
    if (attempt.kind === 'capped') return { capped: attempt.reason };
    killPoint('write-back.started');
    const journal = new Journal(row, found, decisions);
    try {
      const product = { connector: store.connector, storeId: link.storeId, journal, options: { beforeSend } };
      await send(product, toWrite);
      killPoint('write-back.written');
    } catch (error) {
      // Values written before the fault are already ours, and a read before the next attempt must know them.
      await this.writeBacks.recordPartial(row.id, row.externalId, hold.lease, journal.soFar);
      throw error;
    }
    return journal.end();
  }
}

const FOR_REVIEW: HeldBack = { state: 'pending_review', reason: 'writeBack.mode is review', findings: [] };

function waitsFor(store: string, reason: string): string {
  return `waits for store ${store}, which is paused: ${reason}`;
}

function postponed({ id, store }: WriteBackEntity, reason: string): WriteBackResult {
  return { id, store, state: 'postponed', reason, conflicts: 0 };
}

function idsOf({ id, externalId, deliveryId, store }: WriteBackEntity): Record<string, string | null> {
  return { writeBackId: id, externalId, deliveryId, store };
}

function resultOf({ id, store }: WriteBackEntity, { state, reason, fields }: WriteBackEnd): WriteBackResult {
  const conflicts = fields.filter(({ outcome }) => outcome === 'conflict').length;
  return { id, store, state, reason, conflicts };
}

/** The unfinished work of an applied write-back. */
const LEFT: ReadonlySet<FieldOutcome> = new Set(['conflict', 'failed', 'untranslatable', 'unfit']);

/** The reason for the end as a code without any product data. */
function codeOf({ state, fields }: WriteBackEnd): string {
  switch (state) {
    case 'applied':
      return fields.some(({ outcome }) => LEFT.has(outcome)) ? 'partly_written' : 'written';
    case 'conflicted':
      return 'merchant_edit';
    case 'failed':
      return 'refused';
    case 'skipped':
      return fields.some(({ outcome }) => outcome === 'failed') || fields.length === 0
        ? 'gone'
        : 'nothing_to_write';
  }
}

/** A text that a person approved together with others, or applied again, goes back to the person, also where gates block. */
function heldBack(store: Store, row: WriteBackEntity, findings: readonly GateFinding[]): HeldBack {
  const blocks = store.settings.writeBack.gates.onFail === 'block' && row.decidedBy === null;
  const state = blocks ? 'skipped' : 'pending_review';
  const [first, ...others] = findings.map(({ target, detail }) => `${target}: ${detail}`);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return { state, reason: `held back by a gate: ${first ?? ''}${more}`.slice(0, 500), findings };
}

/** Fields that the merchant edited after the approval wait for review again. The rest is written. */
function withLeft(row: WriteBackEntity, end: WriteBackEnd): WriteBackEnd {
  const isApproved = row.intendedBefore !== null;
  if (!isApproved || end.state !== 'applied') return end;
  const conflicts = end.fields.filter(({ outcome }) => outcome === 'conflict');
  // One intended value covers all images.
  const edited = new Set(
    conflicts.map(({ target }) => (imageOfTarget(target) === null ? target : IMAGE_ALTS)),
  );
  const intended = row.intended.filter(({ target }) => edited.has(target));
  if (intended.length === 0) return end;
  return { ...end, left: { intended, contentFingerprint: contentFingerprint(intended) } };
}

/** What an earlier attempt sent stays in the journal: the product may come back with it. */
function goneEnd(row: WriteBackEntity, link: StoreProductEntity): WriteBackEnd {
  const reason = 'the product was deleted in the store';
  return Object.keys(row.sent).length > 0
    ? givenUpBlind(row, link.written ?? {}, reason)
    : { state: 'skipped', reason, fields: [], written: null };
}

function sentValues(
  decisions: readonly FieldDecision[],
  { sent }: Pick<WriteBackEntity, 'sent'>,
): Record<string, SentValue> {
  return Object.fromEntries(
    decisions.map((decision) => [
      decision.target,
      { value: decision.value, before: beforeImage(decision, sent) },
    ]),
  );
}
