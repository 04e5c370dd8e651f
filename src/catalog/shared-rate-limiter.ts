import { CodedError } from '../domain/errors.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { RateLimiter, type Limiter, type Sleep, type Slot } from './rate-limiter.js';
import { RETRY_AFTER_CAP_MS } from './retry-after.js';

/** Slots of the workspace that this process may use: `slots` starts, `intervalMs` apart, the first in `startsInMs`. */
export interface GrantedSlots {
  /** 0 while the service asked for a pause. */
  readonly slots: number;
  readonly startsInMs: number;
  readonly intervalMs: number;
  /** Milliseconds until a pause ends. */
  readonly pausedForMs: number;
}

/** The pace that all processes of a workspace share. */
export interface SharedPace {
  /** Takes the next `wanted` slots. `served`: requests that were served since the last call. */
  take(wanted: number, served: number): Promise<GrantedSlots>;
  /** Records a refusal of a request that began `startedAgoMs` ago; null does not lower the rate. */
  slowDown(startedAgoMs: number | null, pauseMs: number): Promise<void>;
}

/** At most so much of a second is taken at once: what a process takes and does not use is lost to the others. */
const TAKEN_AHEAD_SECONDS = 0.5;
/** Unused slots of this period may be used at once, as in `RateLimiter`. */
const CREDIT_MS = 50;
/** Without an answer in this time the process goes on alone, for `ALONE_MS`. */
const ANSWER_WITHIN_MS = 1_000;
const ALONE_MS = 5_000;
/** The share of the ceiling that a process uses alone: so many processes together stay within it. */
const ALONE_SHARE = 1 / 8;

/**
 * Spaces the starts of requests like `RateLimiter`, for all processes of a workspace together. It takes slots in batches, so that a
 * busy process asks about twice a second. While the shared pace does not answer, the process goes on by itself at an eighth of the
 * ceiling. Another process learns of a pause when it takes its next slots, within half a second.
 */
export class SharedRateLimiter implements Limiter {
  readonly #alone: RateLimiter;
  #aloneUntilMs = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();
  #left = 0;
  #nextSlotMs = Number.NEGATIVE_INFINITY;
  #intervalMs: number;
  #wanted = 1;
  #wasted = false;
  #served = 0;
  #waiting = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    ceilingPerSecond: number,
    private readonly clock: () => Date,
    private readonly sleep: Sleep,
    private readonly shared: SharedPace,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.#alone = new RateLimiter(ceilingPerSecond * ALONE_SHARE, clock, sleep);
    this.#intervalMs = 1000 / ceilingPerSecond;
  }

  get pace(): number {
    return this.#isAlone ? this.#alone.pace : 1000 / this.#intervalMs;
  }

  get pauseMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#now());
  }

  async acquire(maxPauseMs: number, signal?: AbortSignal): Promise<Slot> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = promise;
    this.#waiting += 1;
    await before;
    try {
      return await this.#waitForSlot(maxPauseMs, signal);
    } finally {
      this.#waiting -= 1;
      resolve(undefined);
    }
  }

  slowDown(startedAtMs: number, pauseMs: number): void {
    const now = this.#now();
    const boundedMs = Math.min(pauseMs, RETRY_AFTER_CAP_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + boundedMs);
    this.#left = 0;
    this.#alone.slowDown(startedAtMs, boundedMs);
    const startedAgoMs = Number.isFinite(startedAtMs) ? Math.max(0, now - startedAtMs) : null;
    this.shared.slowDown(startedAgoMs, boundedMs).catch(this.onFault);
  }

  speedUp(): void {
    this.#served += 1;
    this.#alone.speedUp();
  }

  get #isAlone(): boolean {
    return this.#now() < this.#aloneUntilMs;
  }

  #now(): number {
    return this.clock().getTime();
  }

  async #waitForSlot(maxPauseMs: number, signal: AbortSignal | undefined): Promise<Slot> {
    let pausedMs = 0;
    for (;;) {
      signal?.throwIfAborted();
      const now = this.#now();
      this.#pausedUntilMs = Math.min(this.#pausedUntilMs, now + RETRY_AFTER_CAP_MS);
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
      if (this.#isAlone) {
        const slot = await this.#alone.acquire(maxPauseMs - pausedMs, signal);
        return { ...slot, pausedMs: slot.pausedMs + pausedMs };
      }
      this.#dropLate(now);
      if (this.#left === 0) {
        await this.#take();
        continue;
      }
      const waitMs = this.#nextSlotMs - now;
      if (waitMs <= 0) {
        this.#left -= 1;
        this.#nextSlotMs += this.#intervalMs;
        return { startedAtMs: now, pausedMs };
      }
      await this.sleep(Math.ceil(waitMs), signal);
    }
  }

  /** Drops slots whose time has passed. Used later, they would add to the requests of other processes and exceed the rate. */
  #dropLate(now: number): void {
    const creditMs = Math.max(this.#intervalMs / 2, CREDIT_MS);
    const late = Math.ceil((now - creditMs - this.#nextSlotMs) / this.#intervalMs);
    if (this.#left === 0 || late <= 0) return;
    const dropped = Math.min(late, this.#left);
    this.#left -= dropped;
    this.#nextSlotMs += dropped * this.#intervalMs;
    this.#wasted = true;
  }

  async #take(): Promise<void> {
    const most = Math.max(1, Math.floor((TAKEN_AHEAD_SECONDS * 1000) / this.#intervalMs));
    // Twice as many each time while all are used, so that a process with little to do takes little from the others.
    const grown = this.#wasted ? 1 : this.#wanted * 2;
    this.#wanted = Math.min(most, Math.max(this.#waiting, grown));
    this.#wasted = false;
    const served = this.#served;
    try {
      const granted = await within(
        ANSWER_WITHIN_MS,
        this.shared.take(this.#wanted, served),
        timedOut('the shared rate limit does not answer'),
      );
      this.#served -= served;
      const now = this.#now();
      this.#left = granted.slots;
      this.#intervalMs = granted.intervalMs;
      this.#nextSlotMs = now + granted.startsInMs;
      if (granted.pausedForMs > 0) this.#pausedUntilMs = now + granted.pausedForMs;
    } catch (error) {
      this.#aloneUntilMs = this.#now() + ALONE_MS;
      this.onFault(error);
    }
  }
}
