import { CodedError } from '../domain/errors.js';
import type { RequestRate } from '../domain/request-rate.js';
import { RETRY_AFTER_CAP_MS } from '../domain/retry-after.js';

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface Slot {
  /** The start, by the clock of the rate. */
  readonly startedAtMs: number;
  /** The part of the wait that a pause of the service caused, and not the ceiling. */
  readonly pausedMs: number;
}

/** Waits until a request of the workspace may start. Requests of one process start in order, each by a start of its own from the rate. */
export class RateLimiter {
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly rate: RequestRate,
    private readonly clock: () => Date,
    private readonly sleep: Sleep,
  ) {}

  /** Milliseconds until the pause that this process knows of ends; 0 without a pause. */
  get pauseMs(): number {
    return Math.min(RETRY_AFTER_CAP_MS, Math.max(0, this.#pausedUntilMs - this.clock().getTime()));
  }

  /** Waits until one request may start. Throws `throttled` when a pause would take longer than `maxPauseMs`. */
  async acquire(maxPauseMs: number, signal?: AbortSignal): Promise<Slot> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = promise;
    await before;
    try {
      return await this.#waitForStart(maxPauseMs, signal);
    } finally {
      resolve(undefined);
    }
  }

  /**
   * Records the refusal of a request that started at `startedAtMs`: no request starts for `pauseMs` (at most one hour), and later ones
   * start more slowly. Null pauses without slowing.
   */
  async slowDown(startedAtMs: number | null, pauseMs: number): Promise<void> {
    const boundedMs = Math.min(pauseMs, RETRY_AFTER_CAP_MS);
    this.#pauseFor(boundedMs);
    await this.rate.slowDown(startedAtMs, boundedMs);
  }

  async #waitForStart(maxPauseMs: number, signal: AbortSignal | undefined): Promise<Slot> {
    let pausedMs = 0;
    for (;;) {
      signal?.throwIfAborted();
      const pauseMs = this.pauseMs;
      if (pauseMs > maxPauseMs - pausedMs) {
        throw new CodedError('throttled', 'catalog asked to wait before further requests', {
          retryAfterMs: pauseMs,
        });
      }
      if (pauseMs > 0) {
        await this.sleep(Math.ceil(pauseMs), signal);
        pausedMs += pauseMs;
        continue;
      }
      const { startsInMs, atMs, pausedForMs } = await this.rate.take();
      if (pausedForMs > 0) {
        this.#pauseFor(pausedForMs);
        continue;
      }
      if (startsInMs > 0) await this.sleep(Math.ceil(startsInMs), signal);
      // A refusal meanwhile also holds for this request. Its start is lost.
      if (this.pauseMs === 0) return { startedAtMs: atMs, pausedMs };
    }
  }

  #pauseFor(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.clock().getTime() + ms);
  }
}
