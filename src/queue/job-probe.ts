import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { CodedError } from '../domain/errors.js';
import { timedOut, within } from '../runtime/time-limit.js';
import type { QueueBackend } from './queue-backend.js';
import { KEY_PREFIX } from './queue-names.js';

const PROBE_MS = 5_000;

/**
 * Runs a job through a queue of its own, which is removed afterwards: a storage may answer and yet refuse jobs, as a cluster does whose
 * node does not hold the keys. Selects the backend for this process. Throws `transient` when the job does not come back.
 */
export async function runProbeJob(backend: Pick<QueueBackend, 'connection' | 'select'>): Promise<void> {
  backend.select();
  const name = `check-${randomUUID()}`;
  // The types of bullmq know only Redis. It passes this connection to the selected backend.
  const options = { connection: backend.connection, prefix: KEY_PREFIX };
  const done = Promise.withResolvers<undefined>();
  const queue = new Queue(name, options);
  const take = (): Promise<void> => {
    done.resolve(undefined);
    return Promise.resolve();
  };
  const worker = new Worker(name, take, options);
  queue.on('error', done.reject);
  worker.on('error', done.reject);
  try {
    const through = Promise.all([queue.add('probe', {}), done.promise]);
    await within(PROBE_MS, through, timedOut('a job did not come back'));
    await worker.close();
    await queue.obliterate({ force: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new CodedError('transient', `the queue runs no jobs: ${reason}`, { cause });
  } finally {
    await Promise.allSettled([worker.close(true), queue.close()]);
  }
}
