export { Nudger, type NudgeOptions } from './nudger.js';
export { PacedNudges } from './paced-nudges.js';
export { openQueueBackend, type QueueBackend, type QueueStorage } from './queue-backend.js';
export { QUEUE_NAMES, QUEUES, type QueueName } from './queue-names.js';
export {
  QUEUE_BACKEND,
  QueueModule,
  type QueueModuleAsyncOptions,
  type QueueModuleOptions,
} from './queue.module.js';
export { RowJob, rowIdOf } from './row-job.js';
export { WORKER_DEFAULTS } from './worker.js';
