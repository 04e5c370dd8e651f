import { CodedError } from '../domain/errors.js';
import { RETRY_AFTER_CAP_MS } from './retry-after.js';

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface Slot {
  readonly startedAtMs: number;
  /** How much of the wait was owed to a pause that the service asked for, not to the ceiling. */
  readonly pausedMs: number;
}

/** The slowest the limiter goes, as a share of the ceiling. */
const FLOOR_SHARE = 1 / 32;
/** Each success gives this share of the ceiling back: some fifty of them undo the deepest slowing. */
const RECOVERY_SHARE = 0.02;
/** Unused slots of this period may be used at once: responses arrive in clumps, and the next requests need not wait. */
const CREDIT_MS = 50;

/**
 * Spaces the starts of requests: at most `requestsPerSecond` sustained, never more than double in any one second. A refusal
 * (429, 503) pauses everybody and halves the pace, once for all requests that were under way together; successes bring it
 * back little by little. First come, first served.
 */
export class RateLimiter {
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

  /** Requests per second at present; between a thirty-second of the ceiling and the ceiling. */
  get pace(): number {
    return this.ratePerSecond;
  }

  /** Milliseconds that a pause still lasts; 0 when there is none. */
  get pauseMs(): number {
    return Math.max(0, this.pausedUntilMs - this.clock().getTime());
  }

  /** Waits for leave to start one request. Throws `throttled` when a pause would take longer than `maxPauseMs`. */
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
        // Half an interval makes up for timers that ring late, however long it is; more would break the ceiling.
        const creditMs = Math.max(intervalMs / 2, CREDIT_MS);
        this.nextSlotMs = Math.max(this.nextSlotMs, now - creditMs) + intervalMs;
        return { startedAtMs: now, pausedMs };
      }
      signal?.throwIfAborted();
      await this.sleep(Math.ceil(waitMs), signal);
      pausedMs += pauseMs;
    }
  }

  /** A clock that was set back must not make a wait of minutes out of one of milliseconds. */
  private forgetFuture(now: number): void {
    this.nextSlotMs = Math.min(this.nextSlotMs, now + 1000 / (this.ceilingPerSecond * FLOOR_SHARE));
    this.pausedUntilMs = Math.min(this.pausedUntilMs, now + RETRY_AFTER_CAP_MS);
    if (this.slowedAtMs > now) this.slowedAtMs = now;
  }
}
