import { CodedError } from '../domain/errors.js';
import { BURST_MS, type RequestRate, type Start } from '../domain/request-rate.js';

/**
 * The rate of a process that shares its workspace with no other one: `init` and the contract suite. It does not slow down after a refusal:
 * the rate limiter pauses by itself.
 */
export class OwnRate implements RequestRate {
  readonly #intervalMs: number;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(
    ceiling: number,
    private readonly clock: () => Date,
  ) {
    if (!(ceiling > 0)) throw new CodedError('misconfigured', 'requestsPerSecond must be greater than 0');
    this.#intervalMs = 1000 / ceiling;
  }

  take(): Promise<Start> {
    const now = this.clock().getTime();
    // A clock that was set back must not turn a wait of milliseconds into minutes.
    const next = Math.min(this.#nextMs, now + this.#intervalMs);
    const atMs = Math.max(next, now - Math.max(this.#intervalMs / 2, BURST_MS));
    this.#nextMs = atMs + this.#intervalMs;
    return Promise.resolve({
      atMs: Math.max(atMs, now),
      startsInMs: Math.max(0, atMs - now),
      pausedForMs: 0,
    });
  }

  slowDown(): Promise<void> {
    return Promise.resolve();
  }
}
