export { JobProducer } from './job-producer.js';
export { Places, type RowEnd } from './places.js';
export { ProcessorCheck } from './processor-check.js';
export { QUEUE_BACKEND } from './queue-backend.js';
export { QUEUE_NAMES, type QueueName } from './queue-names.js';
export { JOB_QUEUES, type QueueSettings } from './queue-settings.js';
export { QueueModule } from './queue.module.js';
export { rowIdOf } from './row-job.js';
