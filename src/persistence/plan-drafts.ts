import type { Database } from './database.js';
import { RELEASED } from './leased-rows.js';
import type { PlannedRun } from './plan-rows.js';

/** SQL: the run of a plan, locked until the statement ends, if its worker still holds it. `$1` is the run and `$2` the lease. */
export const HELD_RUN = `SELECT id FROM sync_run WHERE id = $1 AND lease = $2
  AND state IN ('running', 'planning', 'planned') AND phase = 'extract' FOR SHARE`;

/** Rows of one statement. A first load has hundreds of thousands of drafts. */
const AT_ONCE = 10_000;

/** Removes what a plan has written that was never committed. A worker that has lost the run removes nothing. */
export async function discardDrafts(
  db: Database,
  { id, lease }: Pick<PlannedRun, 'id' | 'lease'>,
): Promise<void> {
  for (const table of ['sync_action', 'planned_identifier', 'seen_product'] as const)
    await inSteps((limit) =>
      db.affected(
        // SQL: by the physical place of the rows, in steps, under the lease of the run.
        `WITH held AS (${HELD_RUN}) DELETE FROM ${table} USING held
         WHERE ${table}.ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE run_id = $1 LIMIT $3))`,
        [id, lease, limit],
      ),
    );
}

/** Ends plans whose process died while it made them: one for review says so, and a dry run goes. */
export async function endLostPlans(db: Database): Promise<void> {
  await db.affected(
    // SQL: by the clock of the database, one statement for both.
    `WITH lost AS (
       SELECT id FROM sync_run WHERE state = 'planning' AND lease_until < now() FOR UPDATE SKIP LOCKED
     ), dry AS (
       DELETE FROM sync_run USING lost WHERE sync_run.id = lost.id AND plan IS NULL
     )
     UPDATE sync_run SET state = 'not_planned', ${RELEASED}, error = $1 FROM lost
     WHERE sync_run.id = lost.id AND state = 'planning' AND plan IS NOT NULL`,
    ['the process that made it ended before the plan was complete: make a new one'],
  );
}

/** Removes what only the making of a plan needs, once the plan is made or gone: the products that were read, and their identifiers. */
export async function removeNotes(db: Database, runId: string): Promise<void> {
  for (const table of ['planned_identifier', 'seen_product'] as const)
    await inSteps((limit) =>
      db.affected(
        // SQL: by the physical place of the rows, in steps.
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE run_id = $1
           AND NOT EXISTS (SELECT 1 FROM sync_run WHERE id = $1 AND phase = 'extract') LIMIT $2))`,
        [runId, limit],
      ),
    );
}

async function inSteps(remove: (limit: number) => Promise<number>): Promise<void> {
  while ((await remove(AT_ONCE)) === AT_ONCE);
}
