export { DeliveryPacer } from './delivery-pacer.js';
export { JobProducer, type EnqueueOptions } from './job-producer.js';
export { ProcessorCheck } from './processor-check.js';
export { openQueueBackend, type QueueBackend, type QueueStorage } from './queue-backend.js';
export { QUEUE_NAMES, QUEUES, type QueueName } from './queue-names.js';
export { JOB_QUEUES, type QueueSettings } from './queue-settings.js';
export { QUEUE_BACKEND, QueueModule } from './queue.module.js';
export { RowJob, rowIdOf } from './row-job.js';
export { WORKER_DEFAULTS } from './worker.js';
