import { BACKOFF } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError } from '../domain/errors.js';
import type { Clock } from '../runtime/clock.js';

/** Ends the phase of a run: the rest of its work waits for reconcile. */
export class RunInterruptedError extends CodedError {}

/** A side without a usable response for this long is down. The run ends and is resumed later. */
const DOWN_AFTER_MS = 120_000;

/**
 * Repeats work after temporary faults, and detects a side that is down. All concurrent work of a phase shares one
 * instance, so that one success shows that the side is up.
 */
export class Outage {
  #lastSuccess: number;

  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {
    this.#lastSuccess = clock.now().getTime();
  }

  /**
   * Runs `work` until it succeeds or fails permanently. `repeat` means that an earlier attempt may have been carried
   * out. Throws `RunInterruptedError` when the side is down or refuses our credentials; other errors as they are.
   */
  async through<T>(work: (repeat: boolean) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      this.signal.throwIfAborted();
      try {
        const result = await work(attempt > 0);
        this.#lastSuccess = this.clock.now().getTime();
        return result;
      } catch (error) {
        await this.#waitOrThrow(error, attempt);
      }
    }
  }

  async #waitOrThrow(error: unknown, attempt: number): Promise<void> {
    if (!(error instanceof CodedError)) throw error;
    const reaction = reactionTo('apply', error);
    if (reaction === 'pause')
      throw new RunInterruptedError(error.code, error.message, { cause: error.raisedBy('catalog') });
    if (reaction !== 'retry') {
      // Any response shows that the side is up.
      this.#lastSuccess = this.clock.now().getTime();
      throw error;
    }
    const silentMs = this.clock.now().getTime() - this.#lastSuccess;
    if (silentMs > DOWN_AFTER_MS) throw new RunInterruptedError(error.code, error.message, { cause: error });
    const requestedMs = Math.min(error.retryAfterMs ?? 0, DOWN_AFTER_MS);
    const delayMs = BACKOFF.product.delayMs(attempt + 1, () => this.clock.random(), requestedMs);
    if (delayMs === null) throw error;
    await this.clock.sleep(delayMs, this.signal);
  }
}
