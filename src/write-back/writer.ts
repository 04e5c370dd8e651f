import { randomUUID } from 'node:crypto';
import { retryDelayMs } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { LiveProduct, MetafieldWrite, StoreField } from '../domain/store-port.js';
import type { FieldOutcome, SentValue } from '../domain/write-back-journal.js';
import { afterUnknownWrite, type WrittenContent } from '../domain/written-content.js';
import { placeOfTarget, translationTarget } from '../domain/write-target.js';
import type { StoreProductEntity, WriteBackEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { WriteBackEnd, WriteBackRepository } from '../persistence/write-back.repository.js';
import { isStoreField } from '../planner/generated-content.js';
import { decideFields, withLandedWrites, type FieldDecision } from '../planner/plan-write-back.js';
import { ROW_LEASE_MS, whileHeld } from '../runtime/held-lease.js';
import { killPoint } from '../runtime/kill-point.js';
import { currentValue, readTranslations } from '../sites/live-translations.js';
import { SILENT_LOG, type RowLog } from '../runtime/logger.js';
import type { Sites, Store } from '../sites/sites.js';
import type { Timing } from '../runtime/clock.js';
import { Journal } from './journal.js';

/** A write-back that ended so often by killing its worker fails, and a person may approve it again. */
const UNENDED_MOST = 5;
const BUSY_RETRY_MS = 2_000;
const AUTH_RETRY_MS = 300_000;

export interface WriteBackResult {
  readonly id: string;
  readonly store: string;
  readonly state: WriteBackEnd['state'] | 'postponed';
  readonly reason: string;
  /** Fields that were left to the merchant. */
  readonly conflicts: number;
}

/**
 * Writes generated content to the store (docs/decisions/0012-merchant-edits-win.md): reads the live values, decides field by field,
 * sends the least, and journals what the store then holds. One product is written by one worker at a time; a worker that
 * dies leaves a row that the next one can finish without writing twice.
 */
export class WriteBackWriter {
  constructor(
    private readonly sites: Sites,
    private readonly writeBacks: WriteBackRepository,
    private readonly links: LinkRepository,
    private readonly timing: Timing,
    private readonly log: RowLog = SILENT_LOG,
  ) {}

  /** Works one write-back; null when it is not ready (any more) or somebody else has its product. */
  async write(id: string): Promise<WriteBackResult | null> {
    const row = await this.writeBacks.get(id);
    if (row?.state !== 'ready') return null;
    const lease = randomUUID();
    if (!(await this.links.takeForWriting(row.externalId, lease, ROW_LEASE_MS))) {
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
      return await whileHeld(
        () => this.links.keepForWriting(row.externalId, lease, ROW_LEASE_MS),
        () => this.#toEnd(row),
      );
    } finally {
      await this.links.releaseFromWriting(row.externalId, lease);
    }
  }

  async #toEnd(stale: WriteBackEntity): Promise<WriteBackResult | null> {
    // Read again under the lease: the worker before us may have ended it.
    const [row, link] = await Promise.all([this.writeBacks.get(stale.id), this.links.get(stale.externalId)]);
    if (row?.state !== 'ready' || link === null) return null;
    const begun = await this.writeBacks.begin(row.id);
    if (begun === null) return null;
    if (begun > UNENDED_MOST)
      return this.#failed(
        row,
        'unended',
        `its writing began ${String(begun - 1)} times in a row and never ended`,
      );
    const store = this.sites.findStore(row.store);
    if (!store)
      return this.#postponed(row, 'misconfigured', AUTH_RETRY_MS, `store ${row.store} is not configured`);
    try {
      const end = await this.#attempt(store, row, await this.#endCutOff(store, row, link));
      await this.writeBacks.end(row.id, row.externalId, end);
      killPoint('write-back.journaled');
      this.#tell(row, end.state, codeOf(end), end);
      return resultOf(row, end);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return this.#failedAttempt(row, error);
    }
  }

  /**
   * Ends older results whose worker died in the middle, without sending anything: what they left in the store must be known as
   * ours, or this result would take it for the merchant's. Returns the link as it is then.
   */
  async #endCutOff(
    store: Store,
    row: WriteBackEntity,
    link: StoreProductEntity,
  ): Promise<StoreProductEntity> {
    let current = link;
    for (const older of await this.writeBacks.cutOff(row)) {
      const found = await this.#decide(store, older, current);
      const left = found?.decisions.filter((decision) => decision.verdict === 'written_before') ?? [];
      const end =
        found === null || left.length === 0
          ? skipped('a newer result of the same product arrived')
          : new Journal(older, found, left).end();
      await this.writeBacks.end(older.id, older.externalId, end);
      this.#tell(older, end.state, 'superseded', end);
      current = (await this.links.get(row.externalId)) ?? current;
    }
    return current;
  }

  async #failedAttempt(row: WriteBackEntity, error: CodedError): Promise<WriteBackResult> {
    const reason = errorLine(error);
    switch (reactionTo('write-back', error)) {
      case 'pause':
      case 'wait':
        return this.#postponed(row, error.code, AUTH_RETRY_MS, reason);
      case 'retry': {
        const delay = retryDelayMs(row.attempts + 1, () => this.timing.random(), error.retryAfterMs);
        if (delay !== null) return this.#postponed(row, error.code, delay, reason, { failed: true });
        break;
      }
      case 'owe':
      case 'give_up':
    }
    return this.#failed(row, error.code, reason);
  }

  /**
   * Without a journal of fields: what became of what was sent is not known. Whatever of it has landed is ours and no source, and
   * a later result looks for it.
   */
  async #failed(row: WriteBackEntity, code: string, reason: string): Promise<WriteBackResult> {
    const [begun, link] = await Promise.all([this.writeBacks.get(row.id), this.links.get(row.externalId)]);
    const sent = Object.entries(begun?.sent ?? {});
    const maybe = sent.map(([target, { value, before }]) => {
      return [target, afterUnknownWrite(link?.written?.[target], value, before)] as const;
    });
    const written = sent.length === 0 ? null : { ...link?.written, ...Object.fromEntries(maybe) };
    const end = { state: 'failed', reason, fields: [], written } as const;
    await this.writeBacks.end(row.id, row.externalId, end);
    this.#tell(row, end.state, code, end);
    return resultOf(row, end);
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
    return { id: row.id, store: row.store, state: 'postponed', reason, conflicts: 0 };
  }

  /** Reasons quote what stores answer, and may hold a product's text: they stay in the row. */
  #tell(row: WriteBackEntity, state: WriteBackEnd['state'], code: string, end: WriteBackEnd): void {
    const fields = Object.fromEntries(end.fields.map(({ target, outcome }) => [target, outcome]));
    const line = { ...idsOf(row), state, code, fields };
    if (state === 'failed') this.log.warn(line, `write-back ${state}`);
    else this.log.info(line, `write-back ${state}`);
  }

  async #attempt(store: Store, row: WriteBackEntity, link: StoreProductEntity): Promise<WriteBackEnd> {
    const found = await this.#decide(store, row, link);
    if (found === null) return skipped('the product was deleted in the store');
    const { decisions } = found;
    const toWrite = decisions.filter((decision) => decision.verdict === 'write');
    if (!(await this.writeBacks.beginAttempt(row.id, sentValues(toWrite)))) {
      throw new CodedError('conflict', 'the write-back was ended meanwhile');
    }
    killPoint('write-back.begun');
    const journal = new Journal(row, found, decisions);
    try {
      await this.#send(store, link, toWrite, journal);
      killPoint('write-back.written');
    } catch (error) {
      // What got through before the fault is ours already: a read that comes before the next attempt must know it.
      await this.writeBacks.recordPartial(row.externalId, journal.end().written);
      throw error;
    }
    return journal.end();
  }

  /** The live values and what is to become of each field; null when the store has no such product. */
  async #decide(store: Store, row: WriteBackEntity, link: StoreProductEntity): Promise<Decided | null> {
    const { writeBack } = store.settings;
    const failed = await this.writeBacks.sentByFailed(row.externalId);
    const asked = [
      ...row.intended.map(({ target }) => target),
      ...failed.flatMap((sent) => Object.keys(sent)),
    ];
    const seo = asked.some((target) => placeOfTarget(target).base.startsWith('seo.'));
    const live = await store.connector.readLive(link.storeId, writeBack.sections?.namespace ?? null, { seo });
    if (live === null) return null;
    const targets = row.intended.filter((value) => value.withheld === undefined).map(({ target }) => target);
    const translations = await readTranslations(store.connector, link.storeId, targets);
    if (translations === null) return null;
    const before = link.written ?? {};
    const written = withLandedWrites(before, failed, (target) => currentValue(target, live, translations));
    const decisions = decideFields(row.intended, live, {
      seen: row.seen,
      written,
      pushedValues: link.pushedFields,
      onConflict: writeBack.onConflict,
      released: row.released,
      sentBefore: row.sent,
      translations,
    });
    return { live, decisions, written, foundMore: written !== before };
  }

  async #send(
    store: Store,
    link: StoreProductEntity,
    toWrite: readonly FieldDecision[],
    journal: Journal,
  ): Promise<void> {
    const own = toWrite.filter(({ target }) => placeOfTarget(target).locale === null);
    const fields = own.filter((decision) => isStoreField(decision.target));
    const metafields = own.filter((decision) => !isStoreField(decision.target));
    if (fields.length > 0) {
      const values: Partial<Record<StoreField, string>> = {};
      for (const { target, value } of fields) if (isStoreField(target)) values[target] = value;
      try {
        const stored = await store.connector.writeFields(link.storeId, values);
        for (const { target } of fields)
          if (isStoreField(target)) journal.written(target, stored[target] ?? null);
      } catch (error) {
        if (isCoded(error, 'not_found')) {
          journal.gone();
          return;
        }
        if (!isCoded(error, 'invalid')) throw error;
        for (const { target } of fields) journal.refused(target, errorLine(error));
      }
    }
    if (metafields.length > 0) {
      const outcomes = await store.connector.writeMetafields(link.storeId, metafields.map(metafieldWrite));
      outcomes.forEach((outcome) => {
        journal.metafield(outcome);
      });
    }
    await this.#translate(store, link, toWrite, journal);
  }

  /** Last of all: the digest that a translation is registered with is that of the text as it stands by then. */
  async #translate(
    store: Store,
    link: StoreProductEntity,
    toWrite: readonly FieldDecision[],
    journal: Journal,
  ): Promise<void> {
    const translations = toWrite.filter(({ target }) => placeOfTarget(target).locale !== null);
    const byLocale = Map.groupBy(translations, ({ target }) => placeOfTarget(target).locale ?? '');
    for (const [locale, decisions] of byLocale) {
      const lost = decisions.filter(({ target }) => journal.wasLost(placeOfTarget(target).base));
      for (const { target } of lost) journal.refused(target, 'the text that it translates was not written');
      const writes = decisions
        .filter((decision) => !lost.includes(decision))
        .map(({ target, value, before }) => ({
          target: placeOfTarget(target).base,
          value,
          expected: before,
        }));
      if (writes.length === 0) continue;
      try {
        for (const outcome of await store.connector.writeTranslations(link.storeId, locale, writes))
          journal.outcome(translationTarget(locale, outcome.target), outcome);
      } catch (error) {
        if (!isCoded(error, 'not_found', 'invalid')) throw error;
        for (const { target } of writes) journal.refused(translationTarget(locale, target), errorLine(error));
      }
    }
  }
}

interface Decided {
  readonly live: LiveProduct;
  readonly decisions: readonly FieldDecision[];
  /** The product's written content, with what failed writes are found to have left. */
  readonly written: WrittenContent;
  readonly foundMore: boolean;
}

function idsOf({ id, externalId, deliveryId, store }: WriteBackEntity): Record<string, string | null> {
  return { writeBackId: id, externalId, deliveryId, store };
}

function resultOf({ id, store }: WriteBackEntity, { state, reason, fields }: WriteBackEnd): WriteBackResult {
  const conflicts = fields.filter(({ outcome }) => outcome === 'conflict').length;
  return { id, store, state, reason, conflicts };
}

/** What an applied write-back may have left undone. */
const LEFT: ReadonlySet<FieldOutcome> = new Set(['conflict', 'failed', 'untranslatable']);

/** Why it ended so, as a word that holds nothing of the product. */
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

function skipped(reason: string): WriteBackEnd {
  return { state: 'skipped', reason, fields: [], written: null };
}

function sentValues(decisions: readonly FieldDecision[]): Record<string, SentValue> {
  return Object.fromEntries(decisions.map(({ target, value, before }) => [target, { value, before }]));
}

function metafieldWrite(decision: FieldDecision): MetafieldWrite {
  const [namespace, key] = namespaceAndKey(decision.target);
  return {
    namespace,
    key,
    type: decision.type ?? 'single_line_text_field',
    value: decision.value,
    expectedDigest: decision.digest,
  };
}

/** Of `metafield:namespace.key`; a key holds no dot, a namespace may. */
export function namespaceAndKey(target: string): [string, string] {
  const name = target.slice('metafield:'.length);
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}
