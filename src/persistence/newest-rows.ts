import { PLAN_STATES } from '../domain/row-states.js';

// Which rows of runs and generation tasks count, and which are the newest: parts of statements, by an alias of the table.

const PLANS = PLAN_STATES.map((state) => `'${state}'`).join(', ');

/** SQL: true of a row of `sync_run` that is a plan, and not yet a run. */
export function isPlan(row: string): string {
  return `${row}.state IN (${PLANS})`;
}

/** SQL: the opposite. */
export function isRun(row: string): string {
  return `${row}.state NOT IN (${PLANS})`;
}

/** SQL: true of a run when its store has a newer one that meets the condition. */
export function hasNewerRun(run: string, condition = 'true'): string {
  return `EXISTS (SELECT 1 FROM sync_run AS newer WHERE newer.store = ${run}.store AND newer.created_at > ${run}.created_at
    AND ${isRun('newer')} AND ${condition})`;
}

/** SQL: true of a generation task whose product is gone from its store: nothing is missing then. */
export function isOfGone(task: string): string {
  return `EXISTS (SELECT 1 FROM store_product AS gone WHERE gone.external_id = ${task}.external_id AND gone.state = 'orphaned')`;
}

/** SQL: true of a generation task when its product has a newer one. */
export function hasNewerTask(task: string): string {
  return `EXISTS (SELECT 1 FROM generation_task AS newer
    WHERE newer.external_id = ${task}.external_id AND newer.requested_at > ${task}.requested_at)`;
}
