interface Known<T> {
  readonly atMs: number;
  readonly value: Promise<T>;
}

/** Answers, kept for a time. Concurrent callers share one request, and one that failed is forgotten. */
export class Remembered<T> {
  readonly #known = new Map<string, Known<T>>();

  /** `most`: with so many entries all are forgotten. */
  constructor(
    private readonly forMs: number,
    private readonly now: () => number,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  get(key: string, ask: () => Promise<T>, forMs = this.forMs): Promise<T> {
    const known = this.#known.get(key);
    return known !== undefined && this.now() - known.atMs < forMs ? known.value : this.renew(key, ask);
  }

  renew(key: string, ask: () => Promise<T>): Promise<T> {
    if (this.#known.size >= this.most) this.#known.clear();
    const fresh = { atMs: this.now(), value: ask() };
    this.#known.set(key, fresh);
    fresh.value.catch(() => {
      if (this.#known.get(key) === fresh) this.#known.delete(key);
    });
    return fresh.value;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
