import { Inject, Injectable } from '@nestjs/common';
import { FEW, JobProducer } from './job-producer.js';

/** How long arrivals are collected before they are enqueued. */
const GATHER_MS = 50;
/** More arrivals than this per collection (200 a second) are a burst. */
const CALM_ARRIVALS = 10;
/** As many arrivals in a second are a burst. */
export const BURST_PER_SECOND = (CALM_ARRIVALS * 1_000) / GATHER_MS;
/** The number of jobs per collection during a burst: 20 a second, which is enough for a store's usual limit. */
const TRICKLE = 1;
/**
 * After a burst, start with the number of jobs that are enqueued one by one, and double the batch each time. The next
 * burst may be near.
 */
const CALM_BATCH = { first: FEW - 1, most: 500 };
/** Collections without a burst until it counts as over. */
const CALM_GATHERINGS = 4;
/** The most ids that are held back. The sweeper finds the rows of the others. */
const HELD_MOST = 20_000;

/**
 * Enqueues received deliveries at a pace that never starves receipt. During a burst most rows wait and a few are enqueued; after the
 * burst the rest follow. The rows are durable before they are added here.
 */
@Injectable()
export class DeliveryPacer {
  readonly #held: string[] = [];
  readonly #turns: (() => void)[] = [];
  #arrived = 0;
  #calm = CALM_GATHERINGS;
  /** By `performance.now()`: until then another process receives a burst. */
  #elsewhereUntil = 0;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(@Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueueMany'>) {}

  /** True while a burst lasts, so that the work it causes has to wait. */
  get flooded(): boolean {
    return this.#calm < CALM_GATHERINGS;
  }

  add(id: string): void {
    this.#arrived += 1;
    if (this.#held.length < HELD_MOST) this.#held.push(id);
    this.#schedule();
  }

  /** Another process receives a burst. For so many milliseconds work is paced as if it arrived here. */
  burstElsewhere(forMs: number): void {
    if (this.#closed) return;
    this.#elsewhereUntil = performance.now() + forMs;
    this.#calm = 0;
    this.#schedule();
  }

  /** Resolves when such work may start: at once, or at the reduced pace during a burst. */
  async turn(): Promise<void> {
    if (!this.flooded) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turns.push(() => {
      resolve(undefined);
    });
    await promise;
  }

  /** The sweeper finds the rows that are held back; waiting callers continue. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#closed = true;
    this.#calm = CALM_GATHERINGS;
    this.#held.length = 0;
    for (const begin of this.#turns.splice(0)) begin();
  }

  #batch(): number {
    if (this.flooded) return TRICKLE;
    return Math.min(CALM_BATCH.first * 2 ** (this.#calm - CALM_GATHERINGS), CALM_BATCH.most);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#gathered();
    }, GATHER_MS);
  }

  #gathered(): void {
    const isBurst = this.#arrived > CALM_ARRIVALS || performance.now() < this.#elsewhereUntil;
    this.#calm = isBurst ? 0 : this.#calm + 1;
    this.#arrived = 0;
    for (const begin of this.#turns.splice(0, this.flooded ? TRICKLE : this.#turns.length)) begin();
    const ids = this.#held.splice(0, this.#batch());
    // Never rejects: the producer counts lost jobs, and the next sweep finds their rows.
    if (ids.length > 0) void this.jobs.enqueueMany('deliveries', ids);
    if (this.#held.length > 0 || this.#turns.length > 0 || this.flooded) this.#schedule();
  }
}
