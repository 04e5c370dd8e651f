import pLimit from 'p-limit';

/** Responses per measurement. */
const WINDOW = 8;
/** The number at the start, when the response time of an idle service is unknown. */
const FIRST = 2;
/** Responses that take this many times as long as necessary wait for one another. */
const SLOWER = 2;
/** A smaller difference may be caused by the network, in milliseconds. */
const SLOWER_BY_MS = 50;
const LESS = 3 / 4;
/** A reduction helped when response times fell at least to this share. */
const HELPED = 0.9;
/** The share of the allowed requests that may be in the background; one at least. */
const BACKGROUND_SHARE = 1 / 2;

/** Response times of one kind of request. */
interface Pace {
  taken: number[];
  /** The smallest median of a window. */
  bestMs: number;
  /** The median at the last reduction; null when responses have been fast enough since. */
  reducedAtMs: number | null;
}

/**
 * Limits the number of concurrent requests to what makes them faster, up to the ceiling. A service at its limit makes
 * requests wait for each other. Then the number is reduced until responses are about as fast as possible, and grows
 * again one by one. If a reduction does not help, the service is slow by itself, and all are allowed. Each kind of
 * request is measured by itself, because some take long by nature.
 */
export class AdaptiveConcurrency {
  readonly #limit;
  readonly #background;
  readonly #paces = new Map<string, Pace>();
  #doubling = true;

  /** `ceiling`: the most concurrent requests; Infinity for no limit. */
  constructor(private readonly ceiling: number) {
    const first = Number.isFinite(ceiling) ? Math.min(FIRST, ceiling) : ceiling;
    this.#limit = pLimit(first);
    this.#background = pLimit(backgroundOf(first));
  }

  /** The number of requests that may run now, between one and the ceiling. */
  get allowed(): number {
    return this.#limit.concurrency;
  }

  /** Runs `work` when it is its turn, in order. In the background it waits for its turn apart, and holds back few others. */
  run<T>(work: () => Promise<T>, inBackground = false): Promise<T> {
    return inBackground ? this.#background(() => this.#limit(work)) : this.#limit(work);
  }

  /**
   * Records the response time of a request of that kind. Refusals and failures do not count: they are quick, or have
   * no response.
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
      this.#allow(Math.max(1, Math.floor(this.allowed * LESS)));
      return;
    }
    // The service is slow whatever we do.
    if (slow) pace.bestMs = medianMs;
    pace.reducedAtMs = null;
    this.#allow(Math.min(this.ceiling, this.#doubling ? this.allowed * 2 : this.allowed + 1));
  }

  #allow(requests: number): void {
    this.#limit.concurrency = requests;
    this.#background.concurrency = backgroundOf(requests);
  }
}

function backgroundOf(allowed: number): number {
  return Number.isFinite(allowed) ? Math.max(1, Math.floor(allowed * BACKGROUND_SHARE)) : allowed;
}
