import pLimit from 'p-limit';

/** Answers that are looked at together. */
const WINDOW = 8;
/** Where it begins: what an answer takes of a service that is not busy with us is not known yet. */
const FIRST = 2;
/** Answers that take so many times as long as they need wait for one another. */
const SLOWER = 2;
/** Below this much more it may as well be the network, milliseconds. */
const SLOWER_BY_MS = 50;
const LESS = 3 / 4;
/** A reduction helped when response times fell at least to this share. */
const HELPED = 0.9;

/** Response times of one kind of request. */
interface Pace {
  taken: number[];
  /** The least that the middle one of a window took. */
  bestMs: number;
  /** The middle one when there were last made fewer because of it; null when it has been fast enough since. */
  reducedAtMs: number | null;
}

/**
 * How many requests are under way at once: as many as are allowed, unless more only make each of them slower. A
 * service at its limit makes requests wait for each other. Then their number is reduced until responses are about as
 * fast as possible, and grows again one by one. Where fewer do not help, slow is what the service is, and all are
 * allowed. Each kind of request is measured by itself, because some take long by nature.
 */
export class AdaptiveConcurrency {
  readonly #limit;
  readonly #paces = new Map<string, Pace>();
  #doubling = true;

  /** `ceiling`: the most at once; Infinity for no limit at all. */
  constructor(private readonly ceiling: number) {
    this.#limit = pLimit(Number.isFinite(ceiling) ? Math.min(FIRST, ceiling) : ceiling);
  }

  /** Requests that may be under way at present; between one and the ceiling. */
  get allowed(): number {
    return this.#limit.concurrency;
  }

  /** Runs `work` when its turn has come. First come, first served. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#limit(work);
  }

  /**
   * Records the response time of a request of that kind. Refusals and failures do not count: they are quick, or no
   * answer.
   */
  took(kind: string, ms: number): void {
    if (!Number.isFinite(this.ceiling)) return;
    const pace = this.#paces.get(kind) ?? { taken: [], bestMs: Number.POSITIVE_INFINITY, reducedAtMs: null };
    this.#paces.set(kind, pace);
    pace.taken.push(ms);
    if (pace.taken.length < WINDOW) return;
    const medianMs = pace.taken.sort((one, other) => one - other)[WINDOW / 2] ?? 0;
    pace.taken = [];
    this.#judge(pace, medianMs);
  }

  #judge(pace: Pace, medianMs: number): void {
    pace.bestMs = Math.min(pace.bestMs, medianMs);
    const slow = medianMs > pace.bestMs * SLOWER && medianMs > pace.bestMs + SLOWER_BY_MS;
    const helped = pace.reducedAtMs === null || medianMs < pace.reducedAtMs * HELPED;
    if (slow && helped) {
      pace.reducedAtMs = medianMs;
      this.#doubling = false;
      this.#limit.concurrency = Math.max(1, Math.floor(this.allowed * LESS));
      return;
    }
    // It is slow whatever we do.
    if (slow) pace.bestMs = medianMs;
    pace.reducedAtMs = null;
    this.#limit.concurrency = Math.min(this.ceiling, this.#doubling ? this.allowed * 2 : this.allowed + 1);
  }
}
