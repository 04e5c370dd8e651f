import { BullModule, getQueueToken } from '@nestjs/bullmq';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Queue, QueueOptions } from 'bullmq';
import { Logger } from '../runtime/logger.js';
import { JobProducer } from './job-producer.js';
import { openQueueBackend } from './open-queue-backend.js';
import { QUEUE_BACKEND, type QueueBackend } from './queue-backend.js';
import { KEY_PREFIX, QUEUE_NAMES, type QueueName } from './queue-names.js';
import { JOB_QUEUES, QUEUE_SETTINGS, queueLog, type QueueSettings } from './queue-settings.js';
import { createWorkers, type Workers } from './worker.js';

const QUEUE_WORKERS = Symbol('QUEUE_WORKERS');

const WAIT_MS = 30_000;
/** The time limit after SIGTERM. With the rest of the shutdown it stays within an orchestrator's usual 30 s. */
const DRAIN_MS = 20_000;

/**
 * The start ends when queues and workers are ready. Intake ends first, with Nest's first shutdown hook. Running jobs are awaited before the last hook, which closes the application's
 * database; then queues and connections are closed. Nest closes queues and workers again, which does nothing.
 */
@Injectable()
class QueueLifecycle
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  #drained: Promise<void> = Promise.resolve();

  constructor(
    @Inject(QUEUE_BACKEND) private readonly backend: QueueBackend,
    @Inject(QUEUE_WORKERS) private readonly workers: Workers,
    private readonly jobs: JobProducer,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([this.jobs.ready(), this.workers.ready()]);
  }

  onModuleDestroy(): void {
    this.#drained = this.workers.closeAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#drained;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.jobs.close();
    await this.backend.close();
  }
}

/** Opens the storage, and makes @nestjs/bullmq use it, before any Queue or Worker is constructed. */
@Global()
@Module({
  providers: [
    {
      provide: QUEUE_BACKEND,
      inject: [QUEUE_SETTINGS, Logger],
      useFactory: async ({ storage, waitMs }: QueueSettings, logger: Logger): Promise<QueueBackend> => {
        const backend = await openQueueBackend(storage, {
          log: queueLog(logger),
          waitMs: waitMs ?? WAIT_MS,
        });
        backend.select();
        return backend;
      },
    },
    {
      provide: QUEUE_WORKERS,
      inject: [QUEUE_SETTINGS, Logger],
      useFactory: ({ drainMs }: QueueSettings, logger: Logger): Workers => {
        const workers = createWorkers({ log: queueLog(logger), drainMs: drainMs ?? DRAIN_MS });
        BullModule.workerClass = workers.workerClass;
        return workers;
      },
    },
  ],
  exports: [QUEUE_SETTINGS, QUEUE_BACKEND, QUEUE_WORKERS],
})
class QueueStorageModule {
  static forRoot(settings: QueueSettings): DynamicModule {
    return {
      module: QueueStorageModule,
      providers: [{ provide: QUEUE_SETTINGS, useValue: settings }],
    };
  }
}

/**
 * The queues, on PostgreSQL or Redis behind the same API. Exports `JobProducer`. Processors are those of
 * @nestjs/bullmq (`@Processor('runs', { concurrency: 2 })` on a `WorkerHost`) and get the settings in `worker.ts` by themselves.
 * The start waits for the storage and fails (`transient`, `misconfigured`) without it. One application per process: the choice of
 * storage is global in BullMQ.
 */
@Global()
@Module({
  imports: [
    // Do not use BullModule.forRoot: if the storage cannot be opened, queues would fall back to a Redis on this
    // machine.
    BullModule.registerQueueAsync(
      ...QUEUE_NAMES.map((name) => ({ name, inject: [QUEUE_BACKEND], useFactory: queueOptions })),
    ),
  ],
  providers: [
    {
      provide: JOB_QUEUES,
      inject: QUEUE_NAMES.map((name) => getQueueToken(name)),
      useFactory: (...queues: Queue[]): ReadonlyMap<QueueName, Queue> => byName(queues),
    },
    JobProducer,
    QueueLifecycle,
  ],
  exports: [JOB_QUEUES, JobProducer],
})
export class QueueModule {
  static forRoot(settings: QueueSettings): DynamicModule {
    return { module: QueueModule, imports: [QueueStorageModule.forRoot(settings)] };
  }
}

function queueOptions(backend: QueueBackend): QueueOptions {
  return {
    // The types of @nestjs/bullmq know only Redis. It passes this connection to the selected backend.
    connection: backend.connection,
    prefix: KEY_PREFIX,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: { count: 200 } },
  };
}

function byName(queues: readonly Queue[]): ReadonlyMap<QueueName, Queue> {
  const map = new Map<QueueName, Queue>();
  QUEUE_NAMES.forEach((name, index) => {
    const queue = queues[index];
    if (queue) map.set(name, queue);
  });
  return map;
}
