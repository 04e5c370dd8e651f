import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock.js';

/** So many wrong tokens are let pass as slips of the hand. */
const FREE_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 30_000;
/** Wrong tokens of long ago no longer count. */
const FORGET_AFTER_MS = 15 * 60_000;
const MOST_ADDRESSES = 10_000;

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
}

/**
 * Slows guessing: after a few wrong tokens each further attempt from an address has to wait, twice as long each time up to half a
 * minute. Kept per process and forgotten with it: the token's length is what keeps guessers out, this keeps them quiet.
 */
@Injectable()
export class SignInThrottle {
  readonly #failures = new Map<string, Failures>();

  constructor(@Inject(Clock) private readonly clock: Pick<Clock, 'now'>) {}

  /** Milliseconds that an attempt from the address has to wait yet; 0 when it may be made now. */
  waitMs(address: string): number {
    const failures = this.#failures.get(address);
    if (failures === undefined || failures.count < FREE_ATTEMPTS) return 0;
    const pause = Math.min(1000 * 2 ** (failures.count - FREE_ATTEMPTS), LONGEST_WAIT_MS);
    return Math.max(0, failures.lastAtMs + pause - this.clock.now().getTime());
  }

  failed(address: string): void {
    const atMs = this.clock.now().getTime();
    const before = this.#failures.get(address);
    const fresh = before !== undefined && atMs - before.lastAtMs < FORGET_AFTER_MS;
    // Put in anew, so that the oldest stand first and are dropped first.
    this.#failures.delete(address);
    this.#failures.set(address, { count: fresh ? before.count + 1 : 1, lastAtMs: atMs });
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MOST_ADDRESSES) break;
      this.#failures.delete(oldest);
    }
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }
}
