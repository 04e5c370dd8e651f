import { randomUUID } from 'node:crypto';
import type { Database } from './database.js';
import { leasedBy, RELEASED } from './leased-rows.js';
import { idRow } from './rows.js';
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

/**
 * Ends plans whose process died while it made them: their drafts go, one for review says what happened, and a dry run goes. Each is taken
 * by a lease first, so that another process goes on where this one dies.
 */
export async function endLostPlans(db: Database): Promise<void> {
  for (;;) {
    const lease = randomUUID();
    const lost = await db.readOne(
      idRow,
      // SQL: by the clock of the database. Several processes may look at once.
      `UPDATE sync_run SET ${leasedBy('$1')} WHERE id = (
         SELECT id FROM sync_run WHERE state = 'planning' AND lease_until < now() LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
      [lease],
    );
    if (lost === null) return;
    await discardDrafts(db, { id: lost.id, lease });
    await db.affected(
      `UPDATE sync_run SET state = 'not_planned', ${RELEASED}, error = $3 WHERE id = $1 AND lease = $2 AND state = 'planning' AND plan IS NOT NULL`,
      [lost.id, lease, 'the process that made it ended before the plan was complete: make a new one'],
    );
    // SQL: guarded by the lease.
    await db.affected('DELETE FROM sync_run WHERE id = $1 AND lease = $2 AND plan IS NULL', [lost.id, lease]);
  }
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
