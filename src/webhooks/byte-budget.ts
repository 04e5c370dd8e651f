import type { Provider } from '@nestjs/common';

/** A body of at most this size draws from the part of the budget that large bodies cannot use up. */
export const SMALL_BODY_BYTES = 256 * 1024;
const SHARE_OF_SMALL_BODIES = 0.25;
/** A body that is incomplete for this long is dropped for others once the budget is used up. */
const PATIENCE_MS = 2_000;

/** The share of one request in the budget. */
export interface Holding {
  /** Counts further bytes. False: the budget has no room, and the holding is released. */
  add(bytes: number): boolean;
  /** From now on the bytes are kept until `release`, however long that takes. */
  complete(): void;
  release(): void;
}

interface Pool {
  readonly limit: number;
  used: number;
  /** Bodies that are incomplete, oldest first. */
  readonly incomplete: Set<Entry>;
}

interface Entry {
  pool: Pool;
  bytes: number;
  readonly sinceMs: number;
  readonly giveWay: () => void;
}

/**
 * Bounds the bytes of all request bodies that are in memory at once. A quarter is for bodies of at most
 * `SMALL_BODY_BYTES`, so that senders of large ones cannot keep out ordinary deliveries. Without room, bodies that
 * have been incomplete for two seconds are dropped; if there are none, the newcomer is refused.
 */
export class ByteBudget {
  readonly #small: Pool;
  readonly #large: Pool;

  /** `nowMs`: a monotonic clock in milliseconds. */
  constructor(
    limitBytes: number,
    private readonly nowMs: () => number,
  ) {
    const small = Math.floor(limitBytes * SHARE_OF_SMALL_BODIES);
    this.#small = { limit: small, used: 0, incomplete: new Set() };
    this.#large = { limit: limitBytes - small, used: 0, incomplete: new Set() };
  }

  get usedBytes(): number {
    return this.#small.used + this.#large.used;
  }

  /** `giveWay` is called, after the release, when the body has to make room for others. */
  open(giveWay: () => void): Holding {
    const entry: Entry = {
      pool: this.#small,
      bytes: 0,
      sinceMs: this.nowMs(),
      giveWay,
    };
    entry.pool.incomplete.add(entry);
    return {
      add: (bytes) => this.#add(entry, bytes),
      complete: () => {
        entry.pool.incomplete.delete(entry);
      },
      release: () => {
        this.#release(entry);
      },
    };
  }

  #add(entry: Entry, bytes: number): boolean {
    const size = entry.bytes + bytes;
    const pool = size > SMALL_BODY_BYTES ? this.#large : entry.pool;
    const moved = pool !== entry.pool;
    const wanted = moved ? size : bytes;
    if (!this.#makeRoom(pool, entry, wanted)) {
      this.#release(entry);
      return false;
    }
    if (moved) {
      this.#release(entry);
      entry.pool = pool;
      pool.incomplete.add(entry);
    }
    entry.bytes = size;
    pool.used += wanted;
    return true;
  }

  #makeRoom(pool: Pool, newcomer: Entry, bytes: number): boolean {
    for (const entry of pool.incomplete) {
      if (pool.used + bytes <= pool.limit || this.nowMs() - entry.sinceMs < PATIENCE_MS) break;
      if (entry === newcomer || entry.bytes === 0) continue;
      this.#release(entry);
      entry.giveWay();
    }
    return pool.used + bytes <= pool.limit;
  }

  #release(entry: Entry): void {
    entry.pool.incomplete.delete(entry);
    entry.pool.used -= entry.bytes;
    entry.bytes = 0;
  }
}

/** Bytes of deliveries and store events in memory at once. A delivery of 10 MB fits into the part that large bodies have. */
const BODY_BYTES = 64 * 1024 * 1024;

export const BYTE_BUDGET: Provider = {
  provide: ByteBudget,
  useFactory: () => new ByteBudget(BODY_BYTES, () => performance.now()),
};
