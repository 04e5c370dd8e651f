import { Worker, type Processor, type WorkerOptions } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { sparingly } from './sparing-log.js';

/**
 * The default options of every worker.
 * - Delivery is at least once: a job whose worker died is taken up by another after at most lockDuration +
 *   stalledInterval.
 * - maxStalledCount: by default a job whose worker dies twice fails permanently. Rows decide when to give up, not the
 *   queue.
 * - Jobs leave no trace when they are done.
 */
export const WORKER_DEFAULTS = {
  concurrency: 1,
  lockDuration: 30_000,
  stalledInterval: 15_000,
  maxStalledCount: 1_000,
  // A worker whose storage refused it asks again after this.
  runRetryDelay: 1_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 200 },
} satisfies Partial<WorkerOptions>;

export interface WorkerSettings {
  /**
   * How long a worker that is closed may take to finish its jobs, in milliseconds. Another worker repeats the
   * remaining jobs.
   */
  readonly drainMs: number;
  readonly log: (line: string) => void;
}

/** The workers of one application, and the class that @nestjs/bullmq makes them of. */
export interface Workers {
  readonly workerClass: typeof Worker;
  closeAll(): Promise<void>;
}

/** How long the storage gets to take leave of a worker whose jobs did not end. */
const LEAVE_MS = 2_000;

/** After a statement that failed, before the next. */
const FAILURE_MS = 500;
/** After a search for stalled jobs that failed. */
const RECHECK_MS = 5_000;

export function createWorkers(settings: WorkerSettings): Workers {
  const all = new Set<Worker>();
  const say = sparingly(settings.log);

  class RowWorker extends Worker {
    readonly #leaving = new AbortController();
    #closed: Promise<void> | undefined;

    constructor(name: string, processor: Processor, options: WorkerOptions) {
      super(name, processor, { ...WORKER_DEFAULTS, ...options });
      all.add(this);
      this.on('error', (error) => say(`worker ${name}`, error));
      this.on('failed', (job, error) => say(`job of ${name} (${job?.id ?? 'unknown'})`, error));
    }

    /** bullmq asks again at once after a statement that failed, as fast as the storage can refuse. */
    protected override async moveToActive(
      ...args: Parameters<Worker['moveToActive']>
    ): ReturnType<Worker['moveToActive']> {
      try {
        return await super.moveToActive(...args);
      } catch (error) {
        await this.#pause(FAILURE_MS);
        throw error;
      }
    }

    /** As bullmq's own, with a wait that ends when the worker is closed. */
    protected override async checkConnectionError<T>(
      attempt: () => Promise<T>,
      delayMs = RECHECK_MS,
    ): Promise<T | undefined> {
      try {
        return await attempt();
      } catch (error) {
        say(`worker ${this.name}`, error);
        await this.#pause(delayMs);
        return undefined;
      }
    }

    async #pause(ms: number): Promise<void> {
      await sleep(ms, undefined, { signal: this.#leaving.signal }).catch(() => undefined); // closed: no need to wait
    }

    /** Takes no more jobs and waits for those it has, at most `drainMs`; then it lets go of them, so that another takes them up. */
    override async close(force = false): Promise<void> {
      this.#leaving.abort();
      this.#closed ??= this.#closeInTime(super.close(force));
      await this.#closed;
    }

    async #closeInTime(closing: Promise<void>): Promise<void> {
      if (await endsWithin(closing, settings.drainMs)) return;
      settings.log(
        `worker ${this.name}: jobs are still running after ${settings.drainMs} ms; they will be done again`,
      );
      await this.lockManager.close();
      await endsWithin(this.getBackend().close(true), LEAVE_MS);
    }
  }

  return {
    // Its constructor takes what @nestjs/bullmq gives it, which is a part of what Worker's own takes.
    workerClass: RowWorker,
    closeAll: async () => {
      await Promise.all([...all].map(async (worker) => await worker.close()));
    },
  };
}

async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const over = new AbortController();
  const timeout = sleep(timeoutMs, false, { signal: over.signal }).catch(() => false); // aborted: the work was in time
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    over.abort();
  }
}
