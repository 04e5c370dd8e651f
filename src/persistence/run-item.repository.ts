import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OWED_CODES } from '../domain/owed.js';
import { Database } from './database.js';
import { cursorOf, cursorParts, type ListPage, type PageRequest } from './keyset.js';
import { containing } from './like-pattern.js';
import { GENERATION_DUE } from './link.repository.js';
import { ACTION_KINDS, SyncActionEntity } from './entities/sync-action.entity.js';
import { counted, rowOf } from './rows.js';
import { hasNewerRun } from './newest-rows.js';

/**
 * The outcomes of a run for a product, in the order of display. A product has one of the first five, and further ones besides.
 * `planned`: not sent yet.
 */
export const RUN_OUTCOMES = [
  'failed',
  'planned',
  'created',
  'updated',
  'orphaned',
  'conflicted',
  'owed',
  'generationRequested',
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

const itemRow = rowOf(SyncActionEntity, ['externalId', 'label', 'fields', 'withheld', 'error']).extend({
  outcome: z.enum(RUN_OUTCOMES),
  kind: z.enum(ACTION_KINDS).nullable(),
  /** The reason of the plan or of the task, or the error of the other side. */
  reason: z.string().nullable(),
  owedCode: z.enum(OWED_CODES).nullable(),
  taskState: z.string().nullable(),
  at: z.date(),
});
export type RunItemRow = z.infer<typeof itemRow>;
const placedRow = itemRow.extend({ exactAt: z.string() });

const outcomeCount = z.object({ outcome: z.enum(RUN_OUTCOMES), count: counted });
const outcomeCounts = z.record(z.enum(RUN_OUTCOMES), counted);

const sentRow = rowOf(SyncActionEntity, ['externalId', 'fields', 'body']);
const changedBodies = sentRow.extend({ before: sentRow.shape.body });
export type ChangedBodies = z.infer<typeof changedBodies>;

const speed = z.object({ settled: counted, seconds: z.coerce.number() });

export interface ItemFilter {
  /** `sent`: created and updated ones. */
  readonly outcome?: RunOutcome | 'sent' | undefined;
  /** Part of a title or an external_id, or a whole identifier. */
  readonly search?: string | undefined;
}

/**
 * A run's products by outcome. Owed products, and conflicts of unchanged ones, are known of the present alone, so that only a
 * store's newest run lists them.
 */
// SQL: a union of five tables, so that one order and one page cover all outcomes.
const ITEMS = `WITH run AS (
    SELECT sync_run.*, NOT ${hasNewerRun('sync_run')} AS newest FROM sync_run WHERE id = $1
  ), action AS (
    SELECT own.id, external_id, coalesce(link.label, own.label) AS label, own.kind, own.state, reason, fields, own.withheld, own.error,
      coalesce(settled_at, own.created_at) AS at
    FROM sync_action AS own LEFT JOIN store_product AS link USING (external_id) WHERE run_id = $1 AND own.state NOT IN ('draft', 'dropped')
  ), item AS (
    SELECT CASE WHEN action.state = 'applied' THEN
        CASE action.kind WHEN 'create' THEN 'created' WHEN 'orphan' THEN 'orphaned' ELSE 'updated' END
      WHEN action.state = 'planned' AND run.state IN ('queued', 'running') THEN 'planned' ELSE 'failed' END AS outcome,
      external_id, label, action.kind, reason, fields, '[]'::jsonb AS withheld, action.error, NULL AS owed_code,
      NULL AS task_state, at
    FROM action, run WHERE NOT (action.kind = 'orphan' AND fields <> '[]' AND action.state = 'applied')
    UNION ALL
    SELECT 'conflicted', external_id, label, kind, NULL, '[]', withheld, NULL, NULL, NULL, at FROM action WHERE withheld <> '[]'
    UNION ALL
    SELECT 'conflicted', link.external_id, link.label, action.kind, NULL, '[]', link.withheld, NULL, NULL, NULL, action.at
    FROM action JOIN store_product AS link USING (external_id)
    WHERE action.state = 'applied' AND action.withheld = '[]' AND link.withheld <> '[]'
    UNION ALL
    SELECT 'conflicted', link.external_id, link.label, NULL, NULL, '[]', link.withheld, NULL, NULL, NULL, link.last_seen_at
    FROM store_product AS link, run WHERE run.newest AND link.store = run.store AND link.withheld <> '[]'
      AND link.state <> 'orphaned' AND NOT EXISTS (SELECT 1 FROM action WHERE action.external_id = link.external_id)
    UNION ALL
    SELECT 'owed', owed.external_id, owed.label, NULL, owed.detail, '[]', '[]', NULL, owed.code, NULL, owed.noted_at
    FROM owed_product AS owed, run WHERE run.newest AND owed.store = run.store
    UNION ALL
    SELECT 'generationRequested', task.external_id, coalesce(link.label, ''), NULL, task.reason, '[]', '[]', NULL, NULL, task.state,
      task.requested_at
    FROM generation_task AS task LEFT JOIN store_product AS link USING (external_id)
    WHERE task.run_id = $1 AND NOT (task.state = 'failed' AND settled_by = 'poll' AND answered_at IS NULL)
  ), found AS (
    SELECT * FROM item WHERE $2::text IS NULL OR label ILIKE $3 OR external_id ILIKE $3
      OR EXISTS (SELECT 1 FROM product_identifier AS known WHERE known.store = (SELECT store FROM run)
        AND known.product = item.external_id AND known.value = $2)
  )`;

/** The account of a run, product by product. Reads only. */
@Injectable()
export class RunItemRepository {
  constructor(private readonly db: Database) {}

  /** Items with the present titles of their products, in the order of `RUN_OUTCOMES`, each outcome by label. Items of a run that goes on may come again under their new outcome. */
  async page(
    runId: string,
    { outcome, search }: ItemFilter,
    { limit, offset, cursor }: Omit<PageRequest, 'order'>,
  ): Promise<Omit<ListPage<RunItemRow>, 'total'>> {
    const after = cursor === undefined ? [null, null, null, null] : cursorParts(cursor, 'items', 4);
    const found = await this.db.read(
      placedRow,
      // SQL: joins what four tables say about the run's products.
      `${ITEMS} SELECT *, at::text AS exact_at FROM found
       WHERE ($4::text IS NULL OR outcome = $4 OR ($4 = 'sent' AND outcome IN ('created', 'updated'))) AND ($8::int IS NULL
         OR (array_position($5::text[], outcome), label, external_id, at) > ($8::int, $9::text, $10::text, $11::timestamptz))
       ORDER BY array_position($5::text[], outcome), label, external_id, at LIMIT $6 OFFSET $7`,
      [runId, ...searchValues(search), outcome ?? null, [...RUN_OUTCOMES], limit + 1, offset, ...after],
    );
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    if (last === undefined || found.length <= limit) return { rows, next: null };
    const rank = String(RUN_OUTCOMES.indexOf(last.outcome) + 1);
    return { rows, next: cursorOf('items', [rank, last.label, last.externalId, last.exactAt]) };
  }

  /** The number of items of each outcome. */
  async counts(runId: string, search?: string): Promise<Readonly<Record<RunOutcome, number>>> {
    const rows = await this.db.read(
      outcomeCount,
      // SQL: joins what four tables say about the run's products.
      `${ITEMS} SELECT outcome, count(*) FROM found GROUP BY outcome`,
      [runId, ...searchValues(search)],
    );
    const counts = new Map(rows.map((row) => [row.outcome, row.count]));
    return outcomeCounts.parse(
      Object.fromEntries(RUN_OUTCOMES.map((outcome) => [outcome, counts.get(outcome) ?? 0])),
    );
  }

  /** The bodies that the run sends for these products, and the ones that were sent last before it. */
  async bodies(runId: string, externalIds: readonly string[]): Promise<ChangedBodies[]> {
    return this.db.read(
      changedBodies,
      // SQL: the newest earlier row of each product.
      `SELECT action.external_id, action.fields, action.body, earlier.body AS before FROM sync_action AS action
       LEFT JOIN LATERAL (SELECT body FROM sync_action AS old WHERE old.external_id = action.external_id AND old.id < action.id
         AND old.state = 'applied' AND old.body IS NOT NULL ORDER BY old.id DESC LIMIT 1) AS earlier ON true
       WHERE action.run_id = $1 AND action.external_id = ANY($2)`,
      [runId, externalIds],
    );
  }

  /** Products of a store that the catalog still creates in the background, and those that content is still to be requested for. */
  async left(store: string): Promise<{ pending: number; due: number }> {
    return this.db.one(
      z.object({ pending: counted, due: counted }),
      // SQL: two counts from one pass.
      `SELECT count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FILTER (WHERE ${GENERATION_DUE}) AS due
       FROM store_product AS product WHERE store = $1 AND (state = 'pending' OR generation_due)`,
      [store],
    );
  }

  /** Actions settled in the last two minutes of the present step, and the seconds that this took. */
  async speed(runId: string, since: Date): Promise<{ settled: number; seconds: number }> {
    return this.db.one(
      speed,
      // SQL: measured by the database's clock alone.
      `SELECT count(*) FILTER (WHERE settled_at >= span.since) AS settled, extract(epoch FROM now() - span.since) AS seconds
       FROM (SELECT greatest($2::timestamptz, now() - interval '2 minutes') AS since) AS span
       LEFT JOIN sync_action ON run_id = $1 GROUP BY span.since`,
      [runId, since],
    );
  }
}

/** The text itself, and as a pattern of LIKE. */
function searchValues(search: string | undefined): [string | null, string | null] {
  if (search === undefined || search === '') return [null, null];
  return [search, containing(search)];
}
