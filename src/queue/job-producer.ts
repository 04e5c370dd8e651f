import { Inject, Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import pLimit from 'p-limit';
import { CodedError } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { QUEUES, type QueueName } from './queue-names.js';
import { JOB_QUEUES, QUEUE_SETTINGS, queueLog, type QueueSettings } from './queue-settings.js';
import type { RowJob } from './row-job.js';
import { sparingly } from './sparing-log.js';

export interface EnqueueOptions {
  /** Milliseconds until the job starts. */
  readonly delayMs?: number;
}

const TIMEOUT_MS = 2_000;
const READY_MS = 30_000;
/** Calls that may wait for a queue that does not answer. Further jobs are lost at once instead of piling up in memory. */
const PENDING_MAX = 50;
/** At most so many rows of `wake` wait for the calls before theirs. The others are left to the sweep. */
const WAITING_MOST = 16;
/** Jobs of one call to the queue. */
const BATCH = 500;
/**
 * Fewer jobs than this are enqueued one by one. In PostgreSQL a call for many makes two temporary tables, which takes
 * as long as some twenty calls for one.
 */
export const FEW = 16;

/**
 * Wakes a stage: enqueues a job that names the row to work on. A job that is lost never fails its caller's work: the row is the truth,
 * and the next sweep finds it. So nothing here throws; lost jobs are counted (`failures`) and logged.
 * Jobs get no id of ours. BullMQ drops a job silently while another one with its id is kept or running, and with it the change that
 * the running job has not seen.
 */
@Injectable()
export class JobProducer {
  readonly #pending = new Map<QueueName, number>();
  readonly #failures = new Map<QueueName, number>();
  readonly #wakes = pLimit(1);
  readonly #timeoutMs: number;
  readonly #say: (source: string, error: unknown) => void;

  constructor(
    @Inject(JOB_QUEUES) private readonly queues: ReadonlyMap<QueueName, Queue>,
    @Inject(QUEUE_SETTINGS) settings: Pick<QueueSettings, 'enqueueTimeoutMs'>,
    logger: Logger,
  ) {
    this.#timeoutMs = settings.enqueueTimeoutMs ?? TIMEOUT_MS;
    this.#say = sparingly(queueLog(logger));
    // Without a listener, BullMQ writes errors to the console.
    for (const [name, queue] of queues) queue.on('error', (error) => this.#say(`queue ${name}`, error));
  }

  /** Jobs that did not reach their queue in time since the start, by queue. */
  get failures(): ReadonlyMap<QueueName, number> {
    return this.#failures;
  }

  /** Whether the queue accepted the job, within about two seconds. */
  async enqueue(queue: QueueName, id: string, options: EnqueueOptions = {}): Promise<boolean> {
    return (await this.enqueueMany(queue, [id], options)) === 1;
  }

  /**
   * Enqueues a job for a new row without waiting for the queue, one call at a time. In a flood, when many rows wait for their call, it does
   * nothing: the sweep finds the row within seconds, and receipt has the processor meanwhile.
   */
  wake(queue: QueueName, id: string): void {
    if (this.#wakes.pendingCount >= WAITING_MOST) return;
    // Never rejects: lost jobs are counted.
    void this.#wakes(() => this.enqueue(queue, id));
  }

  /** The number of accepted jobs. They are sent in batches, in order. */
  async enqueueMany(queue: QueueName, ids: readonly string[], options: EnqueueOptions = {}): Promise<number> {
    for (let done = 0; done < ids.length; done += BATCH) {
      const batch = ids.slice(done, done + BATCH);
      try {
        await within(
          this.#timeoutMs,
          this.#add(queue, batch, options),
          timedOut(`the queue ${queue} took no jobs within ${this.#timeoutMs} ms`),
        );
      } catch (error) {
        this.#failures.set(queue, (this.#failures.get(queue) ?? 0) + ids.length - done);
        this.#say(`job for ${queue}`, error);
        return done;
      }
    }
    return ids.length;
  }

  /** Jobs that no worker has started; null when the queue does not answer. */
  async waiting(queue: QueueName): Promise<number | null> {
    try {
      const count = this.queues.get(queue)?.getWaitingCount() ?? Promise.resolve(0);
      return await within(this.#timeoutMs, count, timedOut(`the queue ${queue} does not answer`));
    } catch (error) {
      this.#say(`count of ${queue}`, error);
      return null;
    }
  }

  /** Waits until each queue has its connection. Throws `transient` when that takes too long. */
  async ready(): Promise<void> {
    const ready = Promise.all([...this.queues.values()].map((queue) => queue.waitUntilReady()));
    await within(READY_MS, ready, timedOut('the queues are not ready'));
  }

  /** Closes the queues at the end of the application. Rows that wait for their call are left to the next start's sweep. */
  async close(): Promise<void> {
    this.#wakes.clearQueue();
    await Promise.all([...this.queues.values()].map(async (queue) => await queue.close()));
  }

  async #add(name: QueueName, ids: readonly string[], options: EnqueueOptions): Promise<void> {
    const queue = this.queues.get(name);
    if (!queue) throw new CodedError('misconfigured', `there is no queue ${name}`);
    const pending = this.#pending.get(name) ?? 0;
    if (pending >= PENDING_MAX) throw new CodedError('transient', `the queue ${name} does not answer`);
    this.#pending.set(name, pending + 1);
    try {
      const delay = options.delayMs === undefined || options.delayMs <= 0 ? {} : { delay: options.delayMs };
      const jobs = ids.map((id) => ({ name: QUEUES[name], data: { id } satisfies RowJob, opts: delay }));
      if (jobs.length < FEW) for (const job of jobs) await queue.add(job.name, job.data, job.opts);
      else await queue.addBulk(jobs);
    } finally {
      this.#pending.set(name, (this.#pending.get(name) ?? 1) - 1);
    }
  }
}
