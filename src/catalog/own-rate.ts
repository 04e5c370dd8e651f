import { CodedError } from '../domain/errors.js';
import { RATE_RULES, type RequestRate, type Start } from '../domain/request-rate.js';

/** The rate of a process that shares its workspace with no other one: `init`, `check` and the contract suite. */
export class OwnRate implements RequestRate {
  #rate: number;
  #nextMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #slowedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ceiling: number,
    private readonly clock: () => Date,
  ) {
    if (!(ceiling > 0)) throw new CodedError('misconfigured', 'requestsPerSecond must be greater than 0');
    this.#rate = ceiling;
  }

  take(): Promise<Start> {
    const now = this.clock().getTime();
    // A clock that was set back must not turn a wait of milliseconds into minutes.
    this.#nextMs = Math.min(this.#nextMs, now + 1000 / (this.ceiling * RATE_RULES.floorShare));
    if (this.#pausedUntilMs > now) {
      return Promise.resolve({ atMs: now, startsInMs: 0, pausedForMs: this.#pausedUntilMs - now });
    }
    this.#rate = Math.min(this.#rate + this.ceiling * RATE_RULES.recoveryShare, this.ceiling);
    const intervalMs = 1000 / this.#rate;
    const earliest = now - Math.max(intervalMs / 2, RATE_RULES.burstMs);
    const atMs = Math.max(this.#nextMs, earliest);
    this.#nextMs = atMs + intervalMs;
    return Promise.resolve({
      atMs: Math.max(atMs, now),
      startsInMs: Math.max(0, atMs - now),
      pausedForMs: 0,
    });
  }

  slowDown(startedAtMs: number | null, pauseMs: number): Promise<void> {
    const now = this.clock().getTime();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + pauseMs);
    if (startedAtMs !== null && startedAtMs > this.#slowedAtMs) {
      this.#rate = Math.max(this.#rate / 2, this.ceiling * RATE_RULES.floorShare);
      this.#slowedAtMs = now;
    }
    return Promise.resolve();
  }
}
