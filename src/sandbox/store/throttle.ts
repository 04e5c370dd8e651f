export interface ThrottleOptions {
  /** Points that the bucket holds. */
  readonly capacity: number;
  /** Points that come back each second. */
  readonly restoreRate: number;
}

export interface ThrottleStatus {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  readonly restoreRate: number;
}

/** The leaky bucket of one app and shop. Asks and refunds are in points, time is the given clock's. */
export class Throttle {
  private available: number;
  private seenAt: number;

  constructor(
    private readonly options: ThrottleOptions,
    private readonly now: () => Date,
  ) {
    this.available = options.capacity;
    this.seenAt = now().getTime();
  }

  /** Takes the points and answers true, or leaves the bucket as it is and answers false. */
  take(points: number): boolean {
    this.restore();
    if (points > this.available) return false;
    this.available -= points;
    return true;
  }

  /** Gives back what a request turned out not to need. */
  refund(points: number): void {
    this.available = Math.min(this.options.capacity, this.available + points);
  }

  status(): ThrottleStatus {
    this.restore();
    const { capacity, restoreRate } = this.options;
    return { maximumAvailable: capacity, currentlyAvailable: Math.floor(this.available), restoreRate };
  }

  private restore(): void {
    const now = this.now().getTime();
    const restored = (Math.max(0, now - this.seenAt) / 1000) * this.options.restoreRate;
    this.available = Math.min(this.options.capacity, this.available + restored);
    this.seenAt = now;
  }
}
