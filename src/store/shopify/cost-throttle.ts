import type { Sleep } from './options.js';

/** The store's report of the bucket, from `extensions.cost.throttleStatus`. */
export interface BucketStatus {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points a second. */
  readonly restoreRate: number;
}

/** A call that was admitted. `settle` must follow, whatever its result. */
export interface Admission {
  readonly id: number;
  readonly cost: number;
}

interface Flight {
  readonly reserved: number;
  /** Points that other calls spent during this one. Its response may or may not include them. */
  unseen: number;
}

/**
 * Admits calls only as fast as the store's bucket allows (query cost of the Admin GraphQL API). The size and the rate
 * of the bucket come only from responses. Until the first response, one call goes ahead of the others.
 *
 * The remaining points are a lower bound: the reported points, minus calls in flight, minus calls that ended
 * meanwhile. The bias is a few calls and does not grow. It costs no throughput, because the bucket restores anyway.
 * Calls are admitted in order. Several connectors may share a bucket (a command beside the daemon). Then THROTTLED
 * responses occur, and the caller waits them out.
 */
export class CostThrottle {
  private bucket: (BucketStatus & { readonly at: number }) | null = null;
  private readonly flights = new Map<number, Flight>();
  private nextId = 1;
  private line: Promise<unknown> = Promise.resolve();
  private pausedUntil = 0;
  private changed = new AbortController();

  constructor(
    private readonly now: () => number,
    private readonly sleep: Sleep,
  ) {}

  /** Resolves when a call of `cost` points may be sent. */
  admit(cost: number): Promise<Admission> {
    const admission = this.line.then(() => this.admitNext(cost));
    this.line = admission;
    return admission;
  }

  /** Ends a call. `status` is the bucket in its response; null when it had none. */
  settle(admission: Admission, status: BucketStatus | null, actualCost: number | null): void {
    const flight = this.flights.get(admission.id);
    if (flight === undefined) return;
    this.flights.delete(admission.id);
    const spent = actualCost ?? (status === null ? flight.reserved : 0);
    for (const other of this.flights.values()) other.unseen += spent;
    if (status !== null) {
      const available = status.currentlyAvailable - flight.unseen;
      this.bucket = { ...status, currentlyAvailable: available, at: this.now() };
    } else if (this.bucket !== null) {
      this.bucket = { ...this.bucket, currentlyAvailable: this.restored() - spent, at: this.now() };
    }
    this.wake();
  }

  /** Admits nothing for the given time, as the store requested (429). */
  pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.now() + ms);
  }

  private async admitNext(cost: number): Promise<Admission> {
    for (;;) {
      const waitMs = this.waitFor(cost);
      if (waitMs === 0) break;
      const { signal } = this.changed;
      if (waitMs === null) await untilAborted(signal);
      else await this.sleep(waitMs, signal);
    }
    const id = this.nextId++;
    this.flights.set(id, { reserved: cost, unseen: 0 });
    return { id, cost };
  }

  /** Milliseconds until so many points are available; null: until another call has ended. */
  private waitFor(cost: number): number | null {
    const pausedMs = this.pausedUntil - this.now();
    if (pausedMs > 0) return pausedMs;
    if (this.bucket === null) return this.flights.size === 0 ? 0 : null;
    let onTheWay = 0;
    for (const flight of this.flights.values()) onTheWay += flight.reserved;
    // A call that costs more than the whole bucket is admitted when the bucket is full. The store's refusal is better
    // than an endless wait.
    const missing = Math.min(cost, this.bucket.maximumAvailable) - (this.restored() - onTheWay);
    if (missing <= 0 || (this.flights.size === 0 && this.isFull())) return 0;
    return Math.max(1, Math.ceil((missing / this.bucket.restoreRate) * 1000));
  }

  private isFull(): boolean {
    return this.bucket !== null && this.restored() >= this.bucket.maximumAvailable;
  }

  private restored(): number {
    if (this.bucket === null) return 0;
    const { currentlyAvailable, restoreRate, maximumAvailable, at } = this.bucket;
    return Math.min(
      maximumAvailable,
      currentlyAvailable + (restoreRate * Math.max(0, this.now() - at)) / 1000,
    );
  }

  private wake(): void {
    const { changed } = this;
    this.changed = new AbortController();
    changed.abort();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
