import { Injectable } from '@nestjs/common';
import type { Permissions } from '../domain/approval.js';
import {
  BULK_CHANGE_TRANSITIONS,
  statesBefore,
  WRITE_BACK_TRANSITIONS,
  type WriteBackState,
} from '../domain/row-states.js';
import type { BulkAction, BulkItem, WriteBackFilter } from '../domain/write-back-filter.js';
import { json, uuid, Database } from './database.js';
import { BulkChangeEntity, type BulkCursor, type WaitingRow } from './entities/bulk-change.entity.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { filterWriteBacks, LAST_HAPPENED } from './write-back-query.js';
import { keepLease, leasedBy, RELEASED } from './leased-rows.js';

/** The rows of a report that are kept. The counts cover all rows. */
export const MOST_ITEMS = 200;

/** A cursor holds a time to the millisecond, so rows are ordered by it. */
const CREATED = "date_trunc('milliseconds', entry.created_at)";

/** The states of the rows that an action may change. */
const STATES: Readonly<Record<BulkAction, readonly WriteBackState[]>> = {
  // A conflict is the merchant's own text: it is approved one by one, or with the filter `state`.
  approve: ['pending_review'],
  reject: ['pending_review'],
  revert: statesBefore(WRITE_BACK_TRANSITIONS, 'reverted'),
  reapply: ['reverted'],
};
/** States that a filter may name for an action. */
const NAMED: Readonly<Record<BulkAction, readonly WriteBackState[]>> = {
  ...STATES,
  approve: statesBefore(WRITE_BACK_TRANSITIONS, 'rejected'),
  reject: statesBefore(WRITE_BACK_TRANSITIONS, 'rejected'),
};

export interface NewBulkChange {
  readonly action: BulkAction;
  readonly dryRun: boolean;
  readonly filter: WriteBackFilter;
  readonly until: Date;
  readonly actor: string;
  readonly matching: number;
  readonly permissions: Permissions;
}

/** How far a change has come. */
export interface BulkPlace {
  readonly cursor: BulkCursor | null;
  readonly waiting: readonly WaitingRow[];
}

/** A row to change, as the worker needs it. */
export type BulkRow = Pick<WriteBackEntity, 'id' | 'externalId' | 'createdAt'>;

/**
 * Bulk changes of write-backs, and the pages of rows that they select.
 *
 * SQL: each write is guarded by the state and the lease of the row.
 */
@Injectable()
export class BulkChangeRepository {
  constructor(private readonly db: Database) {}

  async add(change: NewBulkChange): Promise<string> {
    const { permissions, ...row } = change;
    const added = await this.db.repository(BulkChangeEntity).insert({ ...row, ...permissions });
    return String(added.identifiers[0]?.['id'] ?? '');
  }

  async get(id: string): Promise<BulkChangeEntity | null> {
    return this.db.byId(BulkChangeEntity, id);
  }

  /** The number of rows that an action would take up, and the database's time at which they were counted. */
  async matching(
    action: BulkAction,
    filter: WriteBackFilter,
    until: Date | null,
  ): Promise<{ readonly count: number; readonly until: Date }> {
    // To the whole millisecond that follows: a row that was stamped before has happened before it.
    const at = until ?? new Date((await this.db.now()).getTime() + 1);
    return { count: await this.#selected(action, filter, at).getCount(), until: at };
  }

  /** The next rows after the cursor: products in order, and of one product the newest first. */
  async page(change: BulkChangeEntity, cursor: BulkCursor | null, limit: number): Promise<BulkRow[]> {
    const query = this.#selected(change.action, change.filter, change.until)
      .select(['entry.id', 'entry.externalId', 'entry.createdAt'])
      .orderBy('entry.externalId', 'ASC')
      .addOrderBy(CREATED, 'DESC')
      .addOrderBy('entry.id', 'ASC')
      .limit(limit);
    if (cursor !== null)
      query.andWhere(
        `(entry.external_id > :product OR (entry.external_id = :product AND (${CREATED} < :at::timestamptz
           OR (${CREATED} = :at::timestamptz AND entry.id > :last))))`,
        { product: cursor.externalId, at: cursor.at, last: cursor.id },
      );
    return query.getMany();
  }

  #selected(action: BulkAction, filter: WriteBackFilter, until: Date) {
    const { state, ...others } = filter;
    const states = state === undefined ? STATES[action] : NAMED[action].filter((each) => each === state);
    const query = this.db
      .repository(WriteBackEntity)
      .createQueryBuilder('entry')
      .where('entry.state = ANY(:states)', { states })
      .andWhere(`${LAST_HAPPENED} <= :until`, { until });
    return filterWriteBacks(query, others);
  }

  /** Changes that wait for a worker, or whose worker is gone. */
  async due(limit: number): Promise<string[]> {
    return this.db.texts(
      // SQL: the database's clock decides what is due.
      `SELECT id FROM bulk_change WHERE next_attempt_at <= now()
         AND (state = 'queued' OR (state = 'running' AND lease_until < now()))
       ORDER BY next_attempt_at LIMIT $1`,
      [limit],
    );
  }

  /** Takes a change up. Null when it is settled, not due, or in other hands. */
  async claim(id: string, lease: string): Promise<BulkChangeEntity | null> {
    const values = [uuid(id), lease];
    const started = await this.db.affected(
      `UPDATE bulk_change SET state = 'running', ${leasedBy('$2')},
         starts = starts + 1 WHERE id = $1::uuid AND state = 'queued' AND next_attempt_at <= now()`,
      values,
    );
    if (started === 1) return this.get(id);
    const taken = await this.db.affected(
      `UPDATE bulk_change SET ${leasedBy('$2')}, starts = starts + 1
       WHERE id = $1::uuid AND state = 'running' AND lease_until < now()`,
      values,
    );
    return taken === 1 ? this.get(id) : null;
  }

  async keepLease(id: string, lease: string): Promise<boolean> {
    return keepLease(this.db, 'bulk_change', id, lease);
  }

  /**
   * Records one handled row, and what waits by then; `isReported` keeps the row in the report as long as that is short. False when the
   * change was cancelled or has another worker.
   */
  async handled(
    id: string,
    lease: string,
    { cursor, waiting }: BulkPlace,
    item: BulkItem,
    { isReported, isPart }: { readonly isReported: boolean; readonly isPart: boolean },
  ): Promise<boolean> {
    return this.db.moves(
      `UPDATE bulk_change SET cursor = $3, waiting = $8, starts = 0, reason = NULL, done = done + $4, refused = refused + 1 - $4,
         left_edited = left_edited + $9, left_in_part = left_in_part + $10, left_gated = left_gated + $11,
         items = CASE WHEN $7 AND jsonb_array_length(items) < $6 THEN items || $5::jsonb ELSE items END
       WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [
        id,
        lease,
        cursor === null ? null : json(cursor),
        item.ok ? 1 : 0,
        json([item]),
        MOST_ITEMS,
        isReported,
        json(waiting),
        item.left === 'edited' ? 1 : 0,
        isPart ? 1 : 0,
        item.left === 'gate' ? 1 : 0,
      ],
    );
  }

  /** Ends a change. Its rows say how many were moved: a worker that died may have moved one without counting it. */
  async finish(id: string, lease: string, to: 'done' | 'failed', reason: string | null): Promise<void> {
    const moved = await this.db.repository(WriteBackEntity).countBy({ bulkChangeId: id });
    await this.db.affected(
      `UPDATE bulk_change SET state = $3, reason = $4, ${RELEASED}, finished_at = now(),
         done = CASE WHEN dry_run THEN done ELSE $5 - left_in_part END
       WHERE id = $1 AND lease = $2 AND state = ANY($6)`,
      [id, lease, to, reason, moved, statesBefore(BULK_CHANGE_TRANSITIONS, to)],
    );
  }

  /** Puts the rest off. The worker lives, so its start does not count as a crash. */
  async putOff(
    id: string,
    lease: string,
    { cursor, waiting }: BulkPlace,
    delayMs: number,
    reason: string | null,
  ): Promise<void> {
    await this.db.affected(
      `UPDATE bulk_change SET state = 'queued', starts = 0, reason = $3, ${RELEASED}, cursor = $5, waiting = $6,
         next_attempt_at = now() + $4 * interval '1 millisecond' WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [id, lease, reason, delayMs, cursor === null ? null : json(cursor), json(waiting)],
    );
  }

  /** Stops a change; what it did so far stays. False when it has ended. */
  async cancel(id: string, reason: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE bulk_change SET state = 'cancelled', reason = $2, ${RELEASED}, finished_at = now()
       WHERE id = $1::uuid AND state IN ('queued', 'running')`,
      [uuid(id), reason],
    );
  }
}
