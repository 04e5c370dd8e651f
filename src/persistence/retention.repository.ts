import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CatalogListingRows } from './catalog-listing.rows.js';
import { BEFORE_NOW, Database, type SqlValue } from './database.js';
import { UsedKeyEntity } from './entities/used-key.entity.js';
import { counted } from './rows.js';
import { hasNewerRun, hasNewerTask, isPlan } from './newest-rows.js';

const stepRow = z.object({ last: z.string().nullable(), gone: counted });

/** The number of removed rows, by table. */
export type Removed = Readonly<Record<string, number>>;

interface Rule {
  readonly table: string;
  /** Type of its `id`, by which it is walked. */
  readonly id: 'bigint' | 'uuid';
  /** True of a row (`old`) that may go; `$1` is the horizon. */
  readonly condition: string;
}

/** A listing of the catalog that is older serves no run. */
const LISTINGS_KEPT_HOURS = 24;

const FIRST = { bigint: '0', uuid: '00000000-0000-0000-0000-000000000000' } as const;

/**
 * Rows that are only history (docs/operations.md#resources): settled, older than the horizon, and not
 * the last word on its product. The journal, `write_back`, is not among it: it says what a revert restores. Parked
 * and failed deliveries go too: whoever can sign may park any number of them.
 */
const RULES: readonly Rule[] = [
  {
    table: 'sync_action',
    id: 'bigint',
    // The last applied action of a product stays, and the last one that says what was sent.
    condition: `old.settled_at < $1 AND old.state IN ('applied', 'superseded') AND EXISTS (SELECT 1 FROM sync_action AS newer
      WHERE newer.external_id = old.external_id AND newer.id > old.id
        AND (old.state = 'superseded' OR newer.state = 'applied') AND (old.body IS NULL OR newer.body IS NOT NULL))`,
  },
  {
    table: 'generation_task',
    id: 'uuid',
    condition: `old.settled_at < $1 AND old.state <> 'requested' AND ${hasNewerTask('old')}`,
  },
  {
    table: 'webhook_delivery',
    id: 'uuid',
    condition: `old.settled_at < $1 AND old.state IN ('processed', 'parked', 'failed') AND NOT EXISTS (SELECT 1 FROM write_back
      WHERE write_back.delivery_id = old.id AND write_back.state IN ('pending_review', 'ready', 'conflicted', 'failed'))`,
  },
  { table: 'audit_entry', id: 'bigint', condition: 'old.at < $1' },
  { table: 'notification', id: 'bigint', condition: 'old.ended_at < $1' },
  {
    // The rows that it changed keep its id, their state and who decided.
    table: 'bulk_change',
    id: 'uuid',
    condition: `old.finished_at < $1 AND old.state IN ('done', 'failed', 'cancelled')`,
  },
  // A plan so old would be refused in most of its entries; they go with it.
  {
    table: 'sync_run',
    id: 'uuid',
    condition: `old.created_at < $1 AND ${isPlan('old')}`,
  },
  {
    // After its actions: a run stays as long as one of them does, and a store's newest always.
    table: 'sync_run',
    id: 'uuid',
    condition: `old.finished_at < $1 AND old.state IN ('succeeded', 'partial', 'failed') AND old.retry_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM sync_action WHERE sync_action.run_id = old.id)
      AND ${hasNewerRun('old')}`,
  },
];

/** Removes what only history would miss, in steps that are short and safe in any number of replicas at once. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly db: Database) {}

  /**
   * Removes old listings, notes and keys that nothing uses any more. Then walks every table once, `step` rows at a time, and removes what
   * is older than `days`. `between` is awaited after each step with the milliseconds it took; false ends the pass.
   */
  async remove(days: number, step: number, between: (tookMs: number) => Promise<boolean>): Promise<Removed> {
    const removed: Record<string, number> = {};
    await new CatalogListingRows(this.db).removeOlder(LISTINGS_KEPT_HOURS);
    await this.#removeNotes();
    await this.db.repository(UsedKeyEntity).delete({ until: BEFORE_NOW });
    const horizon = await this.db.one(
      z.object({ at: z.date() }),
      // SQL: the horizon is measured by the clock of the database.
      `SELECT now() - $1 * interval '1 day' AS at`,
      [days],
    );
    for (const rule of RULES) {
      let after: string | null = FIRST[rule.id];
      while (after !== null) {
        const startedAt = performance.now();
        const { last, gone } = await this.#step(rule, [horizon.at, after, step]);
        if (gone > 0) removed[rule.table] = (removed[rule.table] ?? 0) + gone;
        after = last;
        if (!(await between(performance.now() - startedAt))) return removed;
      }
    }
    return removed;
  }

  /** Deletes the notes of plans that were completed or removed. */
  async #removeNotes(): Promise<void> {
    for (const table of ['planned_identifier', 'seen_product'])
      await this.db.affected(
        // SQL: an anti-join with the runs that are being planned, and the plans that wait for review.
        `DELETE FROM ${table} AS note WHERE NOT EXISTS (SELECT 1 FROM sync_run WHERE id = note.run_id AND phase = 'extract')`,
      );
  }

  /** `last` is null once the table's end was reached. */
  async #step(rule: Rule, values: readonly SqlValue[]): Promise<z.infer<typeof stepRow>> {
    return this.db.one(
      stepRow,
      // SQL: one statement finds, locks and deletes a bounded page of rows.
      `WITH page AS MATERIALIZED (SELECT id FROM ${rule.table} WHERE id > $2::${rule.id} ORDER BY id LIMIT $3),
         gone AS (DELETE FROM ${rule.table} WHERE id IN (SELECT old.id FROM page JOIN ${rule.table} AS old USING (id)
           WHERE ${rule.condition} FOR UPDATE OF old SKIP LOCKED) RETURNING 1)
       SELECT (SELECT id::text FROM page ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM gone) AS gone`,
      values,
    );
  }
}
