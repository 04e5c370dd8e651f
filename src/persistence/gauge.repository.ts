import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Database } from './database.js';

const backlogRow = z.object({
  rows: z.string(),
  state: z.string(),
  count: z.number(),
  /** Age of the oldest of them, in seconds. */
  oldestSeconds: z.number(),
});
/** Open rows of one table in one state. */
export type BacklogRow = z.infer<typeof backlogRow>;

const workspaceRow = z.object({
  workspace: z.string(),
  /** Null while the service has not reported any. */
  creditsRemaining: z.number().nullable(),
  paused: z.boolean(),
  webhookState: z.string().nullable(),
  /** Age of the oldest generation task that is open, in seconds; 0 when none is. */
  oldestTaskSeconds: z.number(),
});
export type WorkspaceGauges = z.infer<typeof workspaceRow>;

const storeRow = z.object({
  store: z.string(),
  /** Unix time of the end of the newest run that succeeded; null when none has. */
  lastSuccessSeconds: z.number().nullable(),
  /** Products of which an identifier is withheld from the catalog. */
  conflictedProducts: z.number(),
  /** Why the store is paused; null while it works. */
  pausedCode: z.string().nullable(),
  /** The API version that the store serves in place of the configured one; null while it serves that. */
  servedVersion: z.string().nullable(),
});
export type StoreGauges = z.infer<typeof storeRow>;

/** The numbers of rows for the metrics. Every statement rests on an index of the few rows that are open. Reads only. */
@Injectable()
export class GaugeRepository {
  constructor(private readonly db: Database) {}

  async backlog(): Promise<BacklogRow[]> {
    return this.db.read(backlogRow, BACKLOG);
  }

  async workspaces(keys: readonly string[]): Promise<WorkspaceGauges[]> {
    return this.db.read(
      workspaceRow,
      // SQL: one aggregate gives a consistent view of all workspaces.
      `SELECT wanted.key AS workspace, known.credits_remaining, coalesce(known.paused_reason IS NOT NULL, false) AS paused,
         known.webhook_state, coalesce((SELECT ${age('min(requested_at)')} FROM generation_task
           WHERE generation_task.workspace = wanted.key AND generation_task.state = 'requested'), 0) AS oldest_task_seconds
       FROM unnest($1::text[]) AS wanted(key) LEFT JOIN workspace_state AS known ON known.workspace = wanted.key`,
      [keys],
    );
  }

  async stores(keys: readonly string[]): Promise<StoreGauges[]> {
    return this.db.read(
      storeRow,
      // SQL: one aggregate gives a consistent view of all stores.
      `SELECT wanted.key AS store,
         (SELECT extract(epoch FROM finished_at)::double precision FROM sync_run
           WHERE sync_run.store = wanted.key AND sync_run.state = 'succeeded' ORDER BY created_at DESC LIMIT 1) AS last_success_seconds,
         (SELECT count(*)::int FROM store_product
           WHERE store_product.store = wanted.key AND withheld <> '[]') AS conflicted_products,
         known.paused_code, known.served_version
       FROM unnest($1::text[]) AS wanted(key) LEFT JOIN store_state AS known ON known.store = wanted.key`,
      [keys],
    );
  }
}

function age(moment: string): string {
  return `greatest(extract(epoch FROM now() - ${moment}), 0)::double precision`;
}

// SQL: one statement counts the rows of all tables, so that the numbers fit together.
const BACKLOG = [
  ['deliveries', 'webhook_delivery', 'received_at', "state = 'received'"],
  ['deliveries', 'webhook_delivery', 'received_at', "state IN ('parked', 'failed')"],
  ['write_backs', 'write_back', 'created_at', "state IN ('ready', 'pending_review', 'conflicted', 'failed')"],
  ['actions', 'sync_action', 'created_at', "state IN ('planned', 'failed')"],
  ['runs', 'sync_run', 'created_at', "state IN ('queued', 'running')"],
  ['tasks', 'generation_task', 'requested_at', "state = 'requested'"],
]
  .map(
    ([name, table, moment, where]) =>
      `SELECT '${name ?? ''}' AS rows, state, count(*)::int AS count, ${age(`min(${moment ?? ''})`)} AS oldest_seconds
       FROM ${table ?? ''} WHERE ${where ?? ''} GROUP BY state`,
  )
  .join(' UNION ALL ');
