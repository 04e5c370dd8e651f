import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, errorLine } from '../domain/errors.js';

const RETRY_MS = 500;

/**
 * Repeats `attempt` until it succeeds. Throws `misconfigured` errors at once. After `waitMs`, throws a `transient`
 * that names `what` and the last failure.
 */
export async function waitFor<T>(what: string, waitMs: number, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof CodedError && error.code === 'misconfigured') throw error;
      if (performance.now() >= until) {
        throw new CodedError('transient', `${what} cannot be reached: ${errorLine(error)}`, { cause: error });
      }
    }
    await sleep(Math.min(RETRY_MS, waitMs));
  }
}

/** The result of `work`, or `transient` after `timeoutMs`. `work` itself continues. */
export async function within<T>(what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw new CodedError('transient', `${what} takes longer than ${timeoutMs} ms`);
  });
  timeout.catch(() => undefined); // aborted, because the work was in time
  work.catch(() => undefined); // the race has reported the first error; later ones have no receiver
  try {
    return await Promise.race([work, timeout]);
  } finally {
    over.abort();
  }
}
