import { Worker, type Processor, type WorkerOptions } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../runtime/time-limit.js';
import { sparingly } from './sparing-log.js';

/**
 * The default options of every worker.
 * - Delivery is at least once: another worker repeats the job of a dead worker after at most lockDuration +
 *   stalledInterval.
 * - maxStalledCount: by default a job whose worker dies twice fails permanently. Rows decide when to give up, not the
 *   queue.
 * - Completed jobs are removed.
 */
export const WORKER_DEFAULTS = {
  concurrency: 1,
  lockDuration: 30_000,
  stalledInterval: 15_000,
  maxStalledCount: 1_000,
  // The delay after a refusal by the storage.
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

/** The workers of one application, and the class that @nestjs/bullmq creates them from. */
export interface Workers {
  readonly workerClass: typeof Worker;
  closeAll(): Promise<void>;
}

/** The time limit for removing a worker from the storage when its jobs did not end. */
const LEAVE_MS = 2_000;

/** The delay after a failed statement. */
const FAILURE_MS = 500;
/** The delay after a failed search for stalled jobs. */
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

    /** bullmq repeats a failed statement at once, as fast as the storage can refuse. */
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

    /** Like bullmq's own method, but closing the worker ends the wait. */
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

    /** Takes no more jobs and waits at most `drainMs` for the running ones. Then it releases them to other workers. */
    override async close(force = false): Promise<void> {
      this.#leaving.abort();
      this.#closed ??= this.#closeInTime(super.close(force));
      await this.#closed;
    }

    async #closeInTime(closing: Promise<void>): Promise<void> {
      if (await endsWithin(settings.drainMs, closing)) return;
      settings.log(
        `worker ${this.name}: jobs are still running after ${settings.drainMs} ms; they will be done again`,
      );
      await this.lockManager.close();
      await endsWithin(LEAVE_MS, this.getBackend().close(true));
    }
  }

  return {
    // The constructor's parameters are those that @nestjs/bullmq passes, a subset of Worker's own.
    workerClass: RowWorker,
    closeAll: async () => {
      await Promise.all([...all].map(async (worker) => await worker.close()));
    },
  };
}

function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return within(
    limitMs,
    work.then(() => true),
    () => false,
  );
}
