import { CodedError } from '../domain/errors.js';
import { RETRY_AFTER_CAP_MS } from './retry-after.js';

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface Slot {
  readonly startedAtMs: number;
  /** The part of the wait that a pause of the service caused, and not the ceiling. */
  readonly pausedMs: number;
}

/** Decides when a request may start. */
export interface Limiter {
  /** The present rate in requests per second. */
  readonly pace: number;
  /** Milliseconds until a pause ends; 0 without a pause. */
  readonly pauseMs: number;
  /** Waits until one request may start. Throws `throttled` when a pause would take longer than `maxPauseMs`. */
  acquire(maxPauseMs: number, signal?: AbortSignal): Promise<Slot>;
  /** Records the refusal of a request that started at `startedAtMs`; no request starts for `pauseMs`. */
  slowDown(startedAtMs: number, pauseMs: number): void;
  /** Records a request that was served. */
  speedUp(): void;
}

/** The slowest rate, as a share of the ceiling. */
const FLOOR_SHARE = 1 / 32;
/** Each success restores this share of the ceiling, so that about fifty restore it completely. */
const RECOVERY_SHARE = 0.02;
/** Unused slots of this period may be used at once: responses arrive in clumps, and the next requests need not wait. */
const CREDIT_MS = 50;

/**
 * Spaces the starts of requests: at most `requestsPerSecond` on average, and at most double in any one second. A
 * refusal (429, 503) pauses all requests and halves the rate, once for all requests that ran at the same time.
 * Successes restore it gradually. Requests start in order.
 */
export class RateLimiter implements Limiter {
  private ratePerSecond: number;
  private nextSlotMs = Number.NEGATIVE_INFINITY;
  private pausedUntilMs = Number.NEGATIVE_INFINITY;
  private slowedAtMs = Number.NEGATIVE_INFINITY;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ceilingPerSecond: number,
    private readonly clock: () => Date,
    private readonly sleep: Sleep,
  ) {
    if (!(ceilingPerSecond > 0)) {
      throw new CodedError('misconfigured', 'requestsPerSecond must be greater than 0');
    }
    this.ratePerSecond = ceilingPerSecond;
  }

  /** The present rate in requests per second, between a thirty-second of the ceiling and the ceiling. */
  get pace(): number {
    return this.ratePerSecond;
  }

  /** Milliseconds until a pause ends; 0 without a pause. */
  get pauseMs(): number {
    return Math.max(0, this.pausedUntilMs - this.clock().getTime());
  }

  /** Waits until one request may start. Throws `throttled` when a pause would take longer than `maxPauseMs`. */
  async acquire(maxPauseMs: number, signal?: AbortSignal): Promise<Slot> {
    const before = this.turn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.turn = promise;
    await before;
    try {
      return await this.waitForSlot(maxPauseMs, signal);
    } finally {
      resolve(undefined);
    }
  }

  /**
   * Records the refusal of a request that started at `startedAtMs`; no request starts for `pauseMs` (at most one
   * hour).
   */
  slowDown(startedAtMs: number, pauseMs: number): void {
    const now = this.clock().getTime();
    this.pausedUntilMs = Math.max(this.pausedUntilMs, now + Math.min(pauseMs, RETRY_AFTER_CAP_MS));
    if (startedAtMs <= this.slowedAtMs) return;
    this.ratePerSecond = Math.max(this.ratePerSecond / 2, this.ceilingPerSecond * FLOOR_SHARE);
    this.slowedAtMs = now;
  }

  /** Records a request that was served. */
  speedUp(): void {
    this.ratePerSecond = Math.min(
      this.ratePerSecond + this.ceilingPerSecond * RECOVERY_SHARE,
      this.ceilingPerSecond,
    );
  }

  private async waitForSlot(maxPauseMs: number, signal: AbortSignal | undefined): Promise<Slot> {
    let pausedMs = 0;
    for (;;) {
      const now = this.clock().getTime();
      this.forgetFuture(now);
      const pauseMs = Math.max(0, this.pausedUntilMs - now);
      if (pauseMs > maxPauseMs - pausedMs) {
        throw new CodedError('throttled', 'catalog asked to wait before further requests', {
          retryAfterMs: pauseMs,
        });
      }
      const waitMs = Math.max(this.nextSlotMs - now, pauseMs);
      if (waitMs <= 0) {
        const intervalMs = 1000 / this.ratePerSecond;
        // Half an interval compensates for late timers. More would exceed the ceiling.
        const creditMs = Math.max(intervalMs / 2, CREDIT_MS);
        this.nextSlotMs = Math.max(this.nextSlotMs, now - creditMs) + intervalMs;
        return { startedAtMs: now, pausedMs };
      }
      signal?.throwIfAborted();
      await this.sleep(Math.ceil(waitMs), signal);
      pausedMs += pauseMs;
    }
  }

  /** A clock that was set back must not turn a wait of milliseconds into minutes. */
  private forgetFuture(now: number): void {
    this.nextSlotMs = Math.min(this.nextSlotMs, now + 1000 / (this.ceilingPerSecond * FLOOR_SHARE));
    this.pausedUntilMs = Math.min(this.pausedUntilMs, now + RETRY_AFTER_CAP_MS);
    if (this.slowedAtMs > now) this.slowedAtMs = now;
  }
}
