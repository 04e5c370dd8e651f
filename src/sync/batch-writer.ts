interface Asked<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** When the work of an item begins, together with that of all that wait: after this time at the latest, and once so many wait. */
export interface Patience {
  readonly withinMs: number;
  readonly most: number;
}

/**
 * Does together what is asked for within a few milliseconds of each other. Where that fails each is done by itself, so that what
 * is wrong with one is no other's failure: `work` has to bear being repeated.
 */
export class BatchWriter<T> {
  #asked: Asked<T>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(private readonly work: (items: readonly T[]) => Promise<void>) {}

  /** Resolves once the item's work is done; rejects with what its own work failed with. */
  do(item: T, { withinMs, most }: Patience): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ item, resolve, reject });
      if (this.#asked.length >= most) this.#begin();
      else this.#beginWithin(withinMs);
    });
  }

  #beginWithin(ms: number): void {
    const dueAtMs = performance.now() + ms;
    if (dueAtMs >= this.#dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = dueAtMs;
    this.#timer = setTimeout(() => {
      this.#begin();
    }, ms);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    const asked = this.#asked;
    this.#asked = [];
    void this.#together(asked);
  }

  async #together(asked: readonly Asked<T>[]): Promise<void> {
    try {
      await this.work(asked.map(({ item }) => item));
      for (const { resolve } of asked) resolve();
    } catch (error) {
      if (asked.length === 1) asked[0]?.reject(error);
      else await Promise.all(asked.map((each) => this.#together([each])));
    }
  }
}
