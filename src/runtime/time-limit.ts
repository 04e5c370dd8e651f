import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../domain/errors.js';

const RETRY_EVERY_MS = 500;
const LATE = Symbol('late');

/**
 * The result of `work`. After `limitMs` milliseconds it is the result of `late` instead, which may also throw. `work`
 * itself continues, and its later failure is ignored.
 */
export async function within<T, L = never>(
  limitMs: number,
  work: Promise<T>,
  late: () => L,
): Promise<T | Awaited<L>> {
  // Without this line Node would report a failure after the limit as an unhandled rejection.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, limitMs, LATE);
  });
  try {
    const first = await Promise.race([work, limit]);
    return first === LATE ? await late() : first;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Aborts its signal `limitMs` milliseconds after its creation or its last renewal. It costs less than a combination of
 * signals, and `passed` says whether the time or a call of `abort` was the cause.
 */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #passed = false;

  constructor(limitMs: number) {
    this.#timer = setTimeout(() => {
      this.#passed = true;
      this.#controller.abort(new Error(`no progress within ${String(limitMs)} ms`));
    }, limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time ran out before `end` was called. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Starts the time again, because the work made progress. */
  renew(): void {
    this.#timer.refresh();
  }

  /** Aborts the signal for another reason than the time. */
  abort(): void {
    this.#controller.abort();
  }

  /** The work has ended: the limit no longer applies. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Returns the result of `work`. Throws the signal's reason when it is aborted first; the work goes on then. */
export async function unlessAborted<T>(
  work: Promise<T> | undefined,
  signal?: AbortSignal,
): Promise<T | undefined> {
  if (work === undefined || signal === undefined) return work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** For `within`: throws a `transient` error with this message. */
export function timedOut(message: string): () => never {
  return () => {
    throw new CodedError('transient', message);
  };
}

/**
 * Repeats `attempt` every half second until it succeeds. Throws its last error after `forMs` milliseconds, and a
 * `misconfigured` error at once, because waiting does not help.
 */
export async function repeatFor<T>(forMs: number, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + forMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isFinal = error instanceof CodedError && error.code === 'misconfigured';
      if (isFinal || performance.now() >= until) throw error;
    }
    await sleep(Math.min(RETRY_EVERY_MS, forMs));
  }
}
