import type { Sleep } from './options.js';

/** The store's own account of the bucket, from `extensions.cost.throttleStatus`. */
export interface BucketStatus {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points a second. */
  readonly restoreRate: number;
}

/** A call that has been let through; `settle` must follow, whatever became of it. */
export interface Admission {
  readonly id: number;
  readonly cost: number;
}

interface Flight {
  readonly reserved: number;
  /** Points that other calls spent while this one was on its way: its answer may or may not know of them. */
  unseen: number;
}

/**
 * Lets calls through no faster than the store's bucket bears (query cost of the Admin GraphQL API). The size and the rate
 * of the bucket are only ever taken from answers; until the first one, a single call goes ahead of the others.
 *
 * What is left is reckoned at its least: an answer's account, less what is still on its way, less what was answered
 * meanwhile. The bias is a few calls' worth, never grows, and costs no throughput, because the bucket restores all the same.
 * First come, first served. Several connectors on one bucket are possible (a command beside the daemon): then THROTTLED
 * answers occur, and are for the caller to wait out.
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

  /** A call has ended. `status` is what its answer said of the bucket; null when it said nothing. */
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

  /** Nothing is let through for the given time: the store said so (429). */
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

  /** Milliseconds to wait for so many points; null: until another call has ended. */
  private waitFor(cost: number): number | null {
    const pausedMs = this.pausedUntil - this.now();
    if (pausedMs > 0) return pausedMs;
    if (this.bucket === null) return this.flights.size === 0 ? 0 : null;
    let onTheWay = 0;
    for (const flight of this.flights.values()) onTheWay += flight.reserved;
    // A call dearer than the whole bucket is let through at its fullest: the store's refusal says more than waiting for ever.
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
