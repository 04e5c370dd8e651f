import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Role } from './access.js';
import { BACKOFF } from '../domain/backoff.js';
import { Clock } from '../runtime/clock.js';

/**
 * The number of wrong tokens without a delay. At the sign-in they are typing errors of one person; several programs
 * that use the API may share an address, for example behind a proxy.
 */
const FREE_ATTEMPTS = { api: 10, dashboard: 3 } as const;
/** Where a token is given. */
export type AccessVia = keyof typeof FREE_ATTEMPTS;
/** Older wrong tokens do not count. */
const FORGET_AFTER_MS = 15 * 60_000;
const MOST_ADDRESSES = 10_000;

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
  /** SHA-256 of the last wrong token, in base64. */
  readonly lastToken: string;
}

/**
 * Slows down guessing. After a few wrong tokens, each attempt from an address has to wait, twice as long each time,
 * up to half a minute. The API and the sign-in share the state, which is per process. The length of the token is the
 * real protection; the delay only limits the noise. A wrong token that is repeated counts once: a client with an
 * outdated token makes no guess, and must not lock out the other clients of its address.
 */
@Injectable()
export class AccessThrottle {
  readonly #failures = new Map<string, Failures>();

  constructor(@Inject(Clock) private readonly clock: Pick<Clock, 'now'>) {}

  /** Milliseconds until the next attempt from the address is allowed there; 0 when it is allowed now. */
  waitMs(address: string, via: AccessVia): number {
    const failures = this.#failures.get(address);
    if (failures === undefined || failures.count < FREE_ATTEMPTS[via]) return 0;
    const pause = BACKOFF.wrongToken.stepMs(failures.count - FREE_ATTEMPTS[via] + 1);
    return Math.max(0, failures.lastAtMs + pause - this.clock.now().getTime());
  }

  /** False for the token that the address gave last: it counts once. */
  failed(address: string, token: string): boolean {
    const atMs = this.clock.now().getTime();
    const lastToken = createHash('sha256').update(token).digest('base64');
    const before = this.#failures.get(address);
    const fresh = before !== undefined && atMs - before.lastAtMs < FORGET_AFTER_MS;
    if (fresh && before.lastToken === lastToken) return false;
    // Insert again, so that the oldest entries are first and are dropped first.
    this.#failures.delete(address);
    this.#failures.set(address, { count: fresh ? before.count + 1 : 1, lastAtMs: atMs, lastToken });
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MOST_ADDRESSES) break;
      this.#failures.delete(oldest);
    }
    return true;
  }

  /** Forgets the wrong tokens of an address. Only the highest role can: a viewer must not be able to guess on. */
  succeeded(address: string, role: Role): void {
    if (role === 'admin') this.#failures.delete(address);
  }
}
