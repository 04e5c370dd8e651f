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
/**
 * A slot may be used for so long after its time: twice as long as in `RateLimiter`. A caller that waits some 30 ms for each answer then
 * takes two slots by one statement.
 */
const CREDIT_MS = 100;
/** The next slots are taken when so many of the last ones are left, so that requests need not wait for the database. */
const LOW_SHARE = 1 / 4;
/** Without an answer in this time the process goes on alone, for `ALONE_MS`. */
const ANSWER_WITHIN_MS = 1_000;
const ALONE_MS = 5_000;
/** The share of the ceiling that a process uses alone: so many processes together stay within it. */
const ALONE_SHARE = 1 / 8;

/** Slots that were granted together and are not used yet. */
interface Batch {
  left: number;
  nextSlotMs: number;
  readonly intervalMs: number;
}

/** How many slots of a batch will be too late at a time. */
function lateBy(atMs: number, { left, nextSlotMs, intervalMs }: Batch): number {
  const creditMs = Math.max(intervalMs / 2, CREDIT_MS);
  return Math.min(left, Math.max(0, Math.ceil((atMs - creditMs - nextSlotMs) / intervalMs)));
}

/**
 * Spaces the starts of requests like `RateLimiter`, for all processes of a workspace together. It takes slots in batches. A process that
 * uses up the rate asks about twice a second, and one that uses a part of it some twenty times at most. While the shared pace does not
 * answer, the process goes on by itself at an eighth of the ceiling. Another process learns of a pause when it takes its next slots,
 * within half a second.
 */
export class SharedRateLimiter implements Limiter {
  readonly #alone: RateLimiter;
  #aloneUntilMs = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();
  /** The oldest first. */
  #batches: Batch[] = [];
  #taking: Promise<void> | null = null;
  #intervalMs: number;
  #wanted = 0;
  /** Slots that were used, and whether some were lost, since slots were asked for. */
  #used = 0;
  #wasted = false;
  #lastUsedMs = Number.NEGATIVE_INFINITY;
  #refusals = 0;
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
    this.#batches = [];
    this.#refusals += 1;
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
      const [batch] = this.#batches;
      if (batch === undefined) {
        await this.#take();
        continue;
      }
      const waitMs = batch.nextSlotMs - now;
      if (waitMs <= 0) {
        this.#use(batch, now);
        return { startedAtMs: now, pausedMs };
      }
      await this.sleep(Math.ceil(waitMs), signal);
    }
  }

  #use(batch: Batch, now: number): void {
    const sinceLastMs = now - this.#lastUsedMs;
    this.#lastUsedMs = now;
    batch.left -= 1;
    batch.nextSlotMs += batch.intervalMs;
    this.#used += 1;
    // Where one request follows another, the next comes after as long a time.
    const nextMs = sinceLastMs < CREDIT_MS ? now + sinceLastMs : null;
    if (!this.#isShortAt(nextMs)) return;
    // A statement takes about as much processor time as the request, which is sent first.
    setImmediate(() => {
      if (!this.#isShortAt(nextMs)) return;
      this.#wasted ||= this.#lateBy(nextMs) > 0;
      void this.#take();
    });
  }

  /**
   * Whether few slots will be left for the request that is expected at `nextMs`. When none is expected, which is null, few are left but
   * not none: a process that has used all its slots takes the next ones with its next request.
   */
  #isShortAt(nextMs: number | null): boolean {
    const left = this.#left;
    return left - this.#lateBy(nextMs) <= this.#wanted * LOW_SHARE && (left > 0 || nextMs !== null);
  }

  get #left(): number {
    return this.#batches.reduce((sum, { left }) => sum + left, 0);
  }

  #lateBy(atMs: number | null): number {
    if (atMs === null) return 0;
    return this.#batches.reduce((sum, batch) => sum + lateBy(atMs, batch), 0);
  }

  /** Drops slots whose time has passed. Used later, they would add to the requests of other processes and exceed the rate. */
  #dropLate(now: number): void {
    for (const batch of this.#batches) {
      const dropped = lateBy(now, batch);
      batch.left -= dropped;
      batch.nextSlotMs += dropped * batch.intervalMs;
      this.#wasted ||= dropped > 0;
    }
    this.#batches = this.#batches.filter(({ left }) => left > 0);
  }

  /** Takes the next slots. Several callers share one request. A failure leaves the process alone for a while. */
  #take(): Promise<void> {
    this.#taking ??= this.#takeBatch().finally(() => (this.#taking = null));
    return this.#taking;
  }

  async #takeBatch(): Promise<void> {
    const most = Math.max(1, Math.floor((TAKEN_AHEAD_SECONDS * 1000) / this.#intervalMs));
    // As many as it uses. Twice as many each time while all are used, so that a process with little to do takes little from the others.
    const grown = this.#wasted ? this.#used : this.#wanted * 2;
    this.#wanted = Math.min(most, Math.max(1, this.#waiting, grown));
    this.#wasted = false;
    this.#used = 0;
    const [served, refusals] = [this.#served, this.#refusals];
    try {
      const granted = await within(
        ANSWER_WITHIN_MS,
        this.shared.take(this.#wanted, served),
        timedOut('the shared rate limit does not answer'),
      );
      this.#served -= served;
      const now = this.#now();
      this.#intervalMs = granted.intervalMs;
      if (granted.pausedForMs > 0) this.#pausedUntilMs = now + granted.pausedForMs;
      // They may be faster than the service allows now.
      if (refusals !== this.#refusals || granted.slots === 0) return;
      // Slots that were free before now are used from now on. A process that uses few would lose them before it needs them.
      const nextSlotMs = now + Math.max(0, granted.startsInMs);
      this.#batches.push({ left: granted.slots, nextSlotMs, intervalMs: granted.intervalMs });
    } catch (error) {
      this.#aloneUntilMs = this.#now() + ALONE_MS;
      this.onFault(error);
    }
  }
}
