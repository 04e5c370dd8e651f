import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, errorLine } from '../domain/errors.js';

const RETRY_MS = 500;

/**
 * Repeats `attempt` until it succeeds. Throws at once what is coded `misconfigured`; after `waitMs` a `transient` that names `what`
 * and the last failure.
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

/** The outcome of `work`, or `transient` when it takes longer than `timeoutMs`. `work` itself goes on. */
export async function within<T>(what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: over.signal }).then(() => {
    throw new CodedError('transient', `${what} takes longer than ${timeoutMs} ms`);
  });
  timeout.catch(() => undefined); // aborted, when the work was in time
  work.catch(() => undefined); // the race has reported the first error; later ones have no receiver
  try {
    return await Promise.race([work, timeout]);
  } finally {
    over.abort();
  }
}
