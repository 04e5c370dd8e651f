import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { JournalField } from '../domain/write-back-journal.js';
import type { BulkItem } from '../domain/write-back-filter.js';
import { BulkChangeRepository, type BulkRow } from '../persistence/bulk-change.repository.js';
import type { BulkChangeEntity } from '../persistence/entities/bulk-change.entity.js';
import { StatementError } from '../persistence/statement-error.js';
import { WriteBackDecisions, type DecisionOutcome } from '../persistence/write-back-decisions.repository.js';
import type { DecidedBy } from '../persistence/write-back.repository.js';
import { ROW_LEASE_MS, whileHeld } from '../runtime/held-lease.js';
import { Logger } from '../runtime/logger.js';
import { Reapplier } from './reapplier.js';
import { WriteBackReverter } from './reverter.js';

const PAGE = 100;
/** A row at which workers died this many times is refused, and the change goes on with the next one. */
const CRASHES_MOST = 5;
/** A change whose workers die even where they only refuse a row is given up. */
const STARTS_MOST = 2 * CRASHES_MOST;
const RETRY_MS = 60_000;
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
 * write-backs of one product undo them in the reverse order.
 */
@Injectable()
export class BulkWorker {
  private readonly log: Logger;

  constructor(
    private readonly changes: BulkChangeRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly reverter: WriteBackReverter,
    private readonly reapplier: Reapplier,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'write-back' });
  }

  /** Works a change to its end, or until it is put off, cancelled or taken over. */
  async work(id: string, work: BulkWork): Promise<void> {
    const lease = randomUUID();
    const change = await this.changes.claim(id, lease, ROW_LEASE_MS);
    if (change === null) return;
    if (change.starts > STARTS_MOST) {
      const reason = `its work began ${String(change.starts - 1)} times and never ended`;
      await this.changes.finish(id, lease, 'failed', reason);
      return;
    }
    await whileHeld(
      () => this.changes.keepLease(id, lease, ROW_LEASE_MS),
      () => this.#toEnd(change, lease, work),
    );
  }

  async #toEnd(change: BulkChangeEntity, lease: string, work: BulkWork): Promise<void> {
    const restored: Restored = { externalId: '', values: new Map() };
    let { starts } = change;
    for (let cursor = change.cursor; ;) {
      const page = await this.changes.page(change, cursor, PAGE);
      const ready: string[] = [];
      for (const row of page) {
        if (work.signal.aborted) {
          await this.changes.putOff(change.id, lease, 0, null);
          await work.wake(ready);
          return;
        }
        const handled =
          starts > CRASHES_MOST ? crashed(row, starts - 1) : await this.#row(change, row, restored);
        starts = 0;
        if ('later' in handled) {
          await this.changes.putOff(change.id, lease, RETRY_MS, handled.later);
          await work.wake(ready);
          return;
        }
        if (handled.ready !== null) ready.push(handled.ready);
        cursor = { externalId: row.externalId, at: row.createdAt.toISOString(), id: row.id };
        // A dry run reports every row, a change those that it left.
        const isReported = change.dryRun || !handled.item.ok;
        if (!(await this.changes.handled(change.id, lease, cursor, handled.item, isReported))) {
          await work.wake(ready);
          return;
        }
        work.onItem?.(handled.item);
      }
      await work.wake(ready);
      if (page.length < PAGE) break;
    }
    await this.changes.finish(change.id, lease, 'done', null);
    const ended = await this.changes.get(change.id);
    this.log.info(
      { bulkChangeId: change.id, action: change.action, done: ended?.done, refused: ended?.refused },
      'bulk change done',
    );
  }

  async #row(change: BulkChangeEntity, row: BulkRow, restored: Restored): Promise<Handled> {
    const by: DecidedBy = { actor: change.actor, bulkChangeId: change.id };
    try {
      switch (change.action) {
        case 'approve':
        case 'reject': {
          const outcome = await this.decisions.decide(row.id, change.action, by);
          const isReady = outcome === 'decided' && change.action === 'approve';
          return { item: decided(row, outcome), ready: isReady ? row.id : null };
        }
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
          return { item: reverted(row, fields), ready: null };
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
      if (reactionTo('write-back', error) !== 'give_up') return { later: errorLine(error) };
      return refused(row, errorLine(error));
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

type Handled = { readonly item: BulkItem; readonly ready: string | null } | { readonly later: string };

const REFUSALS: Readonly<Record<Exclude<DecisionOutcome, 'decided'>, string>> = {
  newer_result: 'a newer result of the product stands',
  wrong_state: 'somebody decided about it meanwhile',
};

function named({ id, externalId }: BulkRow): Pick<BulkItem, 'id' | 'externalId'> {
  return { id, externalId };
}

function refused(row: BulkRow, detail: string): Handled {
  return { item: { ...named(row), ok: false, detail, fields: [] }, ready: null };
}

function crashed(row: BulkRow, starts: number): Handled {
  return refused(row, `its work began ${String(starts)} times and never ended`);
}

function decided(row: BulkRow, outcome: DecisionOutcome): BulkItem {
  const isDone = outcome === 'decided';
  return { ...named(row), ok: isDone, detail: isDone ? 'done' : REFUSALS[outcome], fields: [] };
}

function reverted(row: BulkRow, journal: readonly JournalField[]): BulkItem {
  const own = journal.filter(({ outcome }) => outcome === 'reverted' || outcome === 'not_ours');
  const restored = own.filter(({ outcome }) => outcome === 'reverted').length;
  const left = own.length - restored;
  return {
    ...named(row),
    ok: restored > 0,
    detail: `${String(restored)} ${restored === 1 ? 'field' : 'fields'} restored, ${String(left)} left alone`,
    fields: own.slice(0, MOST_FIELDS).map(({ target, outcome, reason }) => ({ target, outcome, reason })),
  };
}
