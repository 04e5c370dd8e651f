import { counted } from '../domain/text.js';
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Approval, DecisionOutcome } from '../domain/approval.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { JournalField } from '../domain/write-back-journal.js';
import type { BulkItem } from '../domain/write-back-filter.js';
import { BulkChangeRepository, type BulkPlace, type BulkRow } from '../persistence/bulk-change.repository.js';
import type { BulkChangeEntity, BulkCursor } from '../persistence/entities/bulk-change.entity.js';
import { StatementError } from '../persistence/statement-error.js';
import { WriteBackDecisions } from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { whileHeld } from '../runtime/held-lease.js';
import { Logger } from '../runtime/logger.js';
import { Connections } from '../connections/connections.js';
import { Approver } from './approver.js';
import { Reapplier } from './reapplier.js';
import { WriteBackReverter } from './reverter.js';

const PAGE = 100;
/** A row at which workers died this many times is refused, and the change goes on with the next one. */
const CRASHES_MOST = 5;
/** A change whose workers die even where they only refuse a row is given up. */
const STARTS_MOST = 2 * CRASHES_MOST;
const RETRY_MS = 60_000;
/** A product at which a store failed this many times, while it worked otherwise, is refused. */
const TRIES_MOST = 8;
const MOST_FIELDS = 50;

export interface BulkWork {
  readonly signal: AbortSignal;
  /** Starts the writing of rows that became ready. */
  readonly wake: (ids: readonly string[]) => Promise<void>;
  /** Called for each row that was handled. */
  readonly onItem?: (item: BulkItem) => void;
}

/**
 * Works bulk changes row by row, each by the same guarded move as a single decision. A worker that dies leaves a cursor, and the
 * next one continues there. Rows are read in pages, and of one product the newest first, so that reverts of several
 * write-backs of one product undo them in the reverse order. A store that does not answer puts the change off; a product at which alone it
 * fails waits while the others go on.
 */
@Injectable()
export class BulkWorker {
  private readonly log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly changes: BulkChangeRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly approver: Approver,
    private readonly reverter: WriteBackReverter,
    private readonly reapplier: Reapplier,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'write-back' });
  }

  /** Processes a change to its end, or until it is put off, cancelled or taken over. */
  async work(id: string, work: BulkWork): Promise<void> {
    const lease = randomUUID();
    const change = await this.changes.claim(id, lease);
    if (change === null) return;
    if (change.starts > STARTS_MOST) {
      const reason = `its work began ${String(change.starts - 1)} times and never ended`;
      await this.changes.finish(id, lease, 'failed', reason);
      return;
    }
    await whileHeld(
      () => this.changes.keepLease(id, lease),
      () => this.#toEnd(change, lease, work),
    );
  }

  async #toEnd(claimed: BulkChangeEntity, lease: string, work: BulkWork): Promise<void> {
    const pass = new Pass(claimed, lease, work);
    try {
      if (!(await this.#throughPages(pass)) || !(await this.#throughWaiting(pass))) return;
    } finally {
      await work.wake(pass.ready);
    }
    await this.changes.finish(claimed.id, lease, 'done', null);
    const ended = await this.changes.get(claimed.id);
    this.log.info(
      { bulkChangeId: claimed.id, action: claimed.action, done: ended?.done, refused: ended?.refused },
      'bulk change done',
    );
  }

  /** Handles the rows after the cursor. False when the change stops here. */
  async #throughPages(pass: Pass): Promise<boolean> {
    for (;;) {
      // The filter follows a store to another key.
      const change = (await this.changes.get(pass.change.id)) ?? pass.change;
      const page = await this.changes.page(change, pass.place.cursor, PAGE);
      for (const row of page) if (!(await this.#next(pass, row))) return false;
      await pass.work.wake(pass.ready.splice(0));
      if (page.length < PAGE) return true;
    }
  }

  async #next(pass: Pass, row: BulkRow): Promise<boolean> {
    const { work, change, lease, place } = pass;
    if (work.signal.aborted) {
      await this.changes.putOff(change.id, lease, place, 0, null);
      return false;
    }
    // An older write-back of the product is reverted after the newer one.
    if (place.waiting.some(({ id, externalId }) => externalId === row.externalId && id !== row.id)) {
      pass.defer(row, 0);
      return true;
    }
    const handled = await this.#tried(pass, row);
    if (!('later' in handled)) return this.#record(pass, row, handled, cursorOf(row));
    const tries = pass.triesOf(row) + 1;
    const isOfRow = !handled.storeWide && (pass.works || (tries > 1 && (await this.#answers(row))));
    if (isOfRow && tries < TRIES_MOST) {
      pass.defer(row, tries);
      return true;
    }
    if (isOfRow) return this.#record(pass, row, refused(row, handled.later), cursorOf(row));
    if (!handled.storeWide) pass.suspect(row, tries);
    await this.changes.putOff(change.id, lease, pass.place, RETRY_MS, handled.later);
    return false;
  }

  /** Tries the rows again at which the store failed before. False when some of them still wait. */
  async #throughWaiting(pass: Pass): Promise<boolean> {
    const again = pass.change.waiting.filter(({ id }) => !pass.tried.has(id));
    let reason: string | null = null;
    for (const { id, externalId, at, tries } of again) {
      const waiting = pass.place.waiting.find((each) => each.externalId === externalId);
      if (waiting?.id !== id) continue;
      const row: BulkRow = { id, externalId, createdAt: new Date(at) };
      const handled = await this.#tried(pass, row);
      if (!('later' in handled) || (tries + 1 >= TRIES_MOST && (await this.#answers(row)))) {
        const done = 'later' in handled ? refused(row, handled.later) : handled;
        if (!(await this.#record(pass, row, done, pass.place.cursor))) return false;
        continue;
      }
      reason = handled.later;
      if (!handled.storeWide && (pass.works || (await this.#answers(row)))) pass.suspect(row, tries + 1);
    }
    if (pass.place.waiting.length === 0) return true;
    await this.changes.putOff(pass.change.id, pass.lease, pass.place, RETRY_MS, reason ?? STORE_FAILED);
    return false;
  }

  /** Records what became of a row. False when the change was cancelled or has another worker. */
  async #record(
    pass: Pass,
    row: BulkRow,
    { item, ready, isPart = false }: Done,
    cursor: BulkCursor | null,
  ): Promise<boolean> {
    if (ready !== null) pass.ready.push(ready);
    pass.handled(row, cursor);
    // A dry run reports every row, a change those that it left.
    const isReported = pass.change.dryRun || !item.ok;
    const { id } = pass.change;
    if (!(await this.changes.handled(id, pass.lease, pass.place, item, { isReported, isPart }))) return false;
    pass.work.onItem?.(item);
    return true;
  }

  async #tried(pass: Pass, row: BulkRow): Promise<Handled> {
    const { starts } = pass;
    pass.starts = 0;
    pass.tried.add(row.id);
    if (starts > CRASHES_MOST) return crashed(row, starts - 1);
    const handled = await this.#row(pass.change, row, pass.restored);
    if (!('later' in handled)) pass.works = true;
    return handled;
  }

  /** Whether the row's store answers anything at all. Then its failure at a row is that product's own. */
  async #answers(row: BulkRow): Promise<boolean> {
    try {
      const store = this.connections.findStore((await this.writeBacks.get(row.id))?.store ?? '');
      await store?.connector.count();
      return store !== undefined;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return false;
    }
  }

  async #row(change: BulkChangeEntity, row: BulkRow, restored: Restored): Promise<Handled> {
    const by: DecidedBy = { actor: change.actor, bulkChangeId: change.id };
    try {
      switch (change.action) {
        case 'approve':
          return approved(row, await this.approver.approve(row.id, change, by));
        case 'reject':
          return { item: decided(row, await this.decisions.decide(row.id, 'reject', by)), ready: null };
        case 'reapply': {
          const added = await this.reapplier.reapply(row.id, by);
          return typeof added === 'string'
            ? { item: decided(row, added), ready: null }
            : { item: decided(row, 'decided'), ready: added.id };
        }
        case 'revert': {
          const fields = change.dryRun
            ? await this.#previewed(row, restored)
            : await this.reverter.revert(row.id, by);
          return {
            item: reverted(row, fields, change.dryRun ? 'would be restored' : 'restored'),
            ready: null,
          };
        }
      }
    } catch (error) {
      // The row is not to blame for a database that fails: the next worker tries it again.
      if (error instanceof StatementError) throw error;
      if (!(error instanceof CodedError)) {
        this.log.error(
          { bulkChangeId: change.id, externalId: row.externalId, writeBackId: row.id, err: error },
          'a row of a bulk change failed with an unexpected error',
        );
        return refused(row, `unexpected error: ${errorLine(error)}`);
      }
      return failed(row, error);
    }
  }

  /** Values that newer rows of the same product would restore count as the store's. */
  async #previewed(row: BulkRow, restored: Restored): Promise<readonly JournalField[]> {
    if (restored.externalId !== row.externalId) {
      restored.externalId = row.externalId;
      restored.values.clear();
    }
    const fields = await this.reverter.preview(row.id, restored.values);
    for (const { target, outcome, before } of fields)
      if (outcome === 'reverted') restored.values.set(target, before);
    return fields;
  }
}

/** The values that a dry run has restored, in thought, of the product that it is at. */
interface Restored {
  externalId: string;
  readonly values: Map<string, string | null>;
}

/** A row that was changed or left. */
interface Done {
  readonly item: BulkItem;
  readonly ready: string | null;
  /** True when it was approved without some of its fields. */
  readonly isPart?: boolean;
}

/** `storeWide`: the error is the store's, whatever the product. */
type Handled = Done | { readonly later: string; readonly storeWide: boolean };

/** One worker's way through a change. */
class Pass {
  readonly ready: string[] = [];
  /** Rows that were tried, with or without success. */
  readonly tried = new Set<string>();
  readonly restored: Restored = { externalId: '', values: new Map() };
  /** True once the store has worked for a row. */
  works = false;
  starts: number;
  place: BulkPlace;

  constructor(
    readonly change: BulkChangeEntity,
    readonly lease: string,
    readonly work: BulkWork,
  ) {
    this.starts = change.starts;
    this.place = { cursor: change.cursor, waiting: change.waiting };
  }

  triesOf({ id }: BulkRow): number {
    return this.place.waiting.find((each) => each.id === id)?.tries ?? 0;
  }

  handled({ id }: BulkRow, cursor: BulkCursor | null): void {
    this.place = { cursor, waiting: this.place.waiting.filter((each) => each.id !== id) };
  }

  /** Leaves the row for later and goes on after it. */
  defer(row: BulkRow, tries: number): void {
    this.suspect(row, tries);
    this.place = { ...this.place, cursor: cursorOf(row) };
  }

  /** Counts a failure at the row. The cursor stays before it. */
  suspect(row: BulkRow, tries: number): void {
    const entry = { ...cursorOf(row), tries };
    const { waiting } = this.place;
    const isKnown = waiting.some(({ id }) => id === row.id);
    const next = isKnown ? waiting.map((each) => (each.id === row.id ? entry : each)) : [...waiting, entry];
    this.place = { ...this.place, waiting: next };
  }
}

function cursorOf({ externalId, createdAt, id }: BulkRow): BulkCursor {
  return { externalId, at: createdAt.toISOString(), id };
}

const STORE_FAILED = 'the store failed at some products, which are tried again';

const REFUSALS: Readonly<Record<Exclude<DecisionOutcome, 'decided'>, string>> = {
  newer_result: 'a newer result of the product stands',
  wrong_state: 'somebody decided about it meanwhile',
  edited_meanwhile: 'somebody edited it meanwhile',
};

function named({ id, externalId }: BulkRow): Pick<BulkItem, 'id' | 'externalId'> {
  return { id, externalId };
}

function refused(row: BulkRow, detail: string): Done {
  return { item: { ...named(row), ok: false, detail, fields: [] }, ready: null };
}

function crashed(row: BulkRow, starts: number): Done {
  return refused(row, `its work began ${String(starts)} times and never ended`);
}

/** Decides whether the error concerns the row (final), the product (tried again at the end), or the whole store. */
function failed(row: BulkRow, error: CodedError): Handled {
  switch (reactionTo('write-back', error)) {
    case 'give_up':
      return refused(row, errorLine(error));
    case 'wait':
      // A store that is no longer in the configuration must not hold up the rows of others.
      return refused(row, errorLine(error));
    case 'pause':
      return { later: errorLine(error), storeWide: true };
    case 'retry':
    case 'owe':
      return { later: errorLine(error), storeWide: false };
  }
}

function approved(row: BulkRow, { outcome, left, detail }: Approval): Done {
  const isApproved = outcome === 'decided';
  const ready = isApproved ? row.id : null;
  if (left === null) return { item: decided(row, outcome), ready };
  return { item: { ...named(row), ok: false, detail, left, fields: [] }, ready, isPart: isApproved };
}

function decided(row: BulkRow, outcome: DecisionOutcome): BulkItem {
  const isDone = outcome === 'decided';
  return { ...named(row), ok: isDone, detail: isDone ? 'done' : REFUSALS[outcome], fields: [] };
}

function reverted(row: BulkRow, journal: readonly JournalField[], done: string): BulkItem {
  const own = journal.filter(({ outcome }) => outcome === 'reverted' || outcome === 'not_ours');
  const restored = own.filter(({ outcome }) => outcome === 'reverted').length;
  const left = own.length - restored;
  return {
    ...named(row),
    ok: restored > 0,
    detail: `${counted(restored, 'field')} ${done}, ${String(left)} left alone`,
    fields: own.slice(0, MOST_FIELDS).map(({ target, outcome, reason }) => ({ target, outcome, reason })),
  };
}
