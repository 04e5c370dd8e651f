import type { Logger } from '../runtime/logger.js';
import type { QueueStorage } from './queue-backend.js';

/** Injection token of the `QueueSettings`. */
export const QUEUE_SETTINGS = Symbol('QUEUE_SETTINGS');
/** Injection token of the queues, a `ReadonlyMap<QueueName, Queue>`. */
export const JOB_QUEUES = Symbol('JOB_QUEUES');

export interface QueueSettings {
  readonly storage: QueueStorage;
  /** How long the start waits for the storage, in milliseconds; 30 s. */
  readonly waitMs?: number;
  /** How long workers may finish their jobs at the end, in milliseconds; 20 s. */
  readonly drainMs?: number;
  /** How long a caller waits until the queue takes its job, in milliseconds; 2 s. */
  readonly enqueueTimeoutMs?: number;
}

/** The form in which the queue's parts log: one line for people, without secrets. */
export function queueLog(logger: Logger): (line: string) => void {
  const log = logger.child({ stage: 'queue' });
  return (line) => {
    log.warn({}, line);
  };
}
