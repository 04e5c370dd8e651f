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
  readonly incomplete: Incomplete;
}

interface Link {
  before: Link | null;
  after: Link | null;
}

/** Links are null while it is in no list. */
interface Entry extends Link {
  pool: Pool;
  bytes: number;
  readonly sinceMs: number;
  readonly giveWay: () => void;
}

/**
 * Bodies that are incomplete, oldest first, each in one list at most. A body that was taken out leads to no other one. A `Set` leaves a
 * dead table every few bodies that leads to the next one, so that they outlive the young generation.
 */
class Incomplete {
  readonly #ends: Link = { before: null, after: null };

  constructor() {
    this.#ends.before = this.#ends;
    this.#ends.after = this.#ends;
  }

  add(entry: Entry): void {
    const { before } = this.#ends;
    if (entry.after !== null || before === null) return;
    entry.before = before;
    entry.after = this.#ends;
    before.after = entry;
    this.#ends.before = entry;
  }

  delete(entry: Entry): void {
    const { before, after } = entry;
    if (before === null || after === null) return;
    before.after = after;
    after.before = before;
    entry.before = null;
    entry.after = null;
  }

  /** The one that was taken last may be deleted meanwhile. */
  *[Symbol.iterator](): Generator<Entry> {
    let next: Link | null;
    for (let link = this.#ends.after; link !== null && link !== this.#ends; link = next) {
      next = link.after;
      yield link as Entry;
    }
  }
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
    this.#small = { limit: small, used: 0, incomplete: new Incomplete() };
    this.#large = { limit: limitBytes - small, used: 0, incomplete: new Incomplete() };
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
      before: null,
      after: null,
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
