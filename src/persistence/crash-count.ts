import { BACKOFF } from '../domain/backoff.js';
import { json, stepAt } from './database.js';

const { stepsMs } = BACKOFF.workerDeath;

/**
 * Attempts at a row that began and never ended, counted in a row. A row may kill each worker that takes it. It may also have been in the
 * hands of workers that died of something else, one after the other, and a few restarts of a process are soon over. So a row waits
 * longer after each further death, and is set aside after the last.
 */
export const CRASHES_MOST = stepsMs.length + 1;

/** How long, in milliseconds, a worker tries to give a row back when the database does not answer. A lease lasts no longer. */
export const DATABASE_BACK_MS = 15_000;

/** SQL: the assignment with which an attempt begins. It says when the next one may begin if this one never ends. */
export const COUNT_CRASH = `crash_count = crash_count + 1, next_attempt_at = now() + ${stepAt(`'${json(stepsMs)}'`, 'crash_count + 1')}`;

/** SQL: the condition under which an attempt may begin. */
export const PAUSED_NO_LONGER = `(crash_count = 0 OR next_attempt_at <= now())`;

/** SQL: how long a row waits after the end of its last lease, for a table that has no `next_attempt_at`. */
export const CRASH_PAUSE = stepAt(`'${json(stepsMs)}'`, 'greatest(crash_count, 1)');

/** SQL: the assignments that remove the last crash from the count. */
export const UNCOUNT_CRASH = `crash_count = greatest(crash_count - 1, 0), next_attempt_at = now()`;
