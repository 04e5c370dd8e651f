import { Worker, type Processor, type WorkerOptions } from 'bullmq';
import { CodedError } from '../domain/errors.js';
import { timedOut, within } from '../runtime/time-limit.js';
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
  // The delay after a refused connection.
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
  /**
   * Waits until each worker has its connections. One that lost its storage before that never recovers. Throws `transient` when that takes
   * too long.
   */
  ready(): Promise<void>;
  closeAll(): Promise<void>;
}

const READY_MS = 30_000;
/** The time limit for removing a worker from the storage. */
const LEAVE_MS = 2_000;
/** The rest after an error. A storage that refuses statements answers at once, and BullMQ repeats them at once. */
const REST_MS = 500;

export function createWorkers(settings: WorkerSettings): Workers {
  const all = new Set<Worker>();
  const say = sparingly(settings.log);

  /** BullMQ's worker with our defaults, a rest after errors, and a limit on the time that its end takes. */
  class RowWorker extends Worker {
    readonly #running: ReadonlySet<Promise<unknown>>;
    #closed: Promise<void> | undefined;

    constructor(name: string, processor: Processor, options: WorkerOptions) {
      const running = new Set<Promise<unknown>>();
      const noted: Processor = (...args) => {
        const work = Promise.resolve(processor(...args)).finally(() => running.delete(work));
        running.add(work);
        return work;
      };
      super(name, noted, { ...WORKER_DEFAULTS, ...options });
      this.#running = running;
      all.add(this);
      this.on('error', (error) => {
        say(`worker ${name}`, error);
        if (this.#closed === undefined && !this.isPaused()) this.#rest();
      });
      this.on('failed', (job, error) => say(`job of ${name} (${job?.id ?? 'unknown'})`, error));
    }

    #rest(): void {
      void this.pause(true);
      setTimeout(() => {
        if (this.#closed === undefined) void this.resume();
      }, REST_MS).unref();
    }

    /** Takes no more jobs and waits at most `drainMs` for the running ones. Then it leaves them to other workers. */
    override async close(): Promise<void> {
      this.#closed ??= this.#leave();
      await this.#closed;
    }

    async #leave(): Promise<void> {
      await this.pause(true);
      const isDrained = await endsWithin(settings.drainMs, Promise.allSettled(this.#running));
      if (!isDrained)
        settings.log(
          `worker ${this.name}: jobs are still running after ${settings.drainMs} ms; they will be done again`,
        );
      const hasLeft = await endsWithin(LEAVE_MS, super.close(!isDrained));
      if (!hasLeft) await endsWithin(LEAVE_MS, this.disconnect());
    }
  }

  return {
    // The constructor's parameters are those that @nestjs/bullmq passes, a subset of Worker's own.
    workerClass: RowWorker,
    ready: async () => {
      const ready = Promise.all([...all].map((worker) => worker.waitUntilReady())).catch(unready);
      await within(READY_MS, ready, timedOut('the workers of the queue are not ready'));
    },
    closeAll: async () => {
      await Promise.all([...all].map((worker) => worker.close()));
    },
  };
}

function unready(cause: unknown): never {
  throw new CodedError('transient', 'the workers of the queue cannot be started', { cause });
}

function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return within(
    limitMs,
    work.then(() => true),
    () => false,
  );
}
