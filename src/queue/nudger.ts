import type { Queue } from 'bullmq';
import { CodedError } from '../domain/errors.js';
import { QUEUES, type QueueName } from './queue-names.js';
import type { RowJob } from './row-job.js';
import { sparingly } from './sparing-log.js';
import { within } from './wait-for.js';

export interface NudgeOptions {
  /** Look not before this, in milliseconds from now. */
  readonly delayMs?: number;
}

export interface NudgerSettings {
  readonly queues: ReadonlyMap<QueueName, Queue>;
  readonly log: (line: string) => void;
  /** How long a caller waits for the queue, in milliseconds; 2000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
/** Calls that a queue which is away may hold up; beyond, nudges fail at once instead of piling up in memory. */
const PENDING_MAX = 50;
/** Jobs of one call to the queue. */
const BATCH = 500;
/**
 * Fewer jobs than this go to the queue one by one. In PostgreSQL a call for many makes two temporary tables, which takes as long as
 * some twenty calls for one.
 */
export const FEW = 16;

/**
 * Tells a stage that a row wants looking at. A nudge that fails never fails its caller's work: the row is the truth, and the sweeper finds
 * it. So nothing here throws; failures are counted (`failures`) and logged.
 * Jobs get no id of ours: a job under an id that is still kept, or that is being worked on, would be dropped silently, and with it the
 * nudge for a change that the running job has not seen.
 */
export class Nudger {
  readonly #pending = new Map<QueueName, number>();
  readonly #failures = new Map<QueueName, number>();
  readonly #say: (source: string, error: unknown) => void;

  constructor(private readonly settings: NudgerSettings) {
    this.#say = sparingly(settings.log);
    // Without a listener, bullmq writes them to the console. What they cost, the nudge itself reports.
    for (const [name, queue] of settings.queues)
      queue.on('error', (error) => this.#say(`queue ${name}`, error));
  }

  /** Nudges that did not reach their queue in time since the start, by queue. */
  get failures(): ReadonlyMap<QueueName, number> {
    return this.#failures;
  }

  /** Whether the queue took it, known within about two seconds. */
  async nudge(queue: QueueName, id: string, options: NudgeOptions = {}): Promise<boolean> {
    return (await this.nudgeMany(queue, [id], options)) === 1;
  }

  /** How many of them the queue took; in batches, in order. */
  async nudgeMany(queue: QueueName, ids: readonly string[], options: NudgeOptions = {}): Promise<number> {
    for (let done = 0; done < ids.length; done += BATCH) {
      const batch = ids.slice(done, done + BATCH);
      try {
        await within(
          `nudging ${queue}`,
          this.settings.timeoutMs ?? TIMEOUT_MS,
          this.#add(queue, batch, options),
        );
      } catch (error) {
        this.#failures.set(queue, (this.#failures.get(queue) ?? 0) + ids.length - done);
        this.#say(`nudge of ${queue}`, error);
        return done;
      }
    }
    return ids.length;
  }

  /** Jobs of a queue that no worker has begun; null when the queue does not answer. */
  async waiting(queue: QueueName): Promise<number | null> {
    try {
      const count = this.settings.queues.get(queue)?.getWaitingCount() ?? Promise.resolve(0);
      return await within(`counting ${queue}`, this.settings.timeoutMs ?? TIMEOUT_MS, count);
    } catch (error) {
      this.#say(`count of ${queue}`, error);
      return null;
    }
  }

  /** Closes its queues; the end of the application. */
  async close(): Promise<void> {
    await Promise.all([...this.settings.queues.values()].map(async (queue) => await queue.close()));
  }

  async #add(name: QueueName, ids: readonly string[], options: NudgeOptions): Promise<void> {
    const queue = this.settings.queues.get(name);
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
