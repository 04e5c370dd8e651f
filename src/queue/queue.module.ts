import { BullModule, getQueueToken } from '@nestjs/bullmq';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  Global,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Queue, QueueOptions } from 'bullmq';
import { Nudger } from './nudger.js';
import { PacedNudges } from './paced-nudges.js';
import { openQueueBackend, type QueueBackend, type QueueStorage } from './queue-backend.js';
import { QUEUE_NAMES, type QueueName } from './queue-names.js';
import { createWorkers, type Workers } from './worker.js';

export interface QueueModuleOptions {
  readonly storage: QueueStorage;
  /** One line for people, without secrets. */
  readonly log: (line: string) => void;
  /** How long the start waits for the storage; 30 s. */
  readonly waitMs?: number;
  /** How long workers may finish their jobs at the end; 20 s. */
  readonly drainMs?: number;
}

export interface QueueModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...dependencies: never[]) => QueueModuleOptions | Promise<QueueModuleOptions>;
}

/** Injection token of the `QueueBackend`, for health checks. */
export const QUEUE_BACKEND = Symbol('QUEUE_BACKEND');
const QUEUE_OPTIONS = Symbol('QUEUE_OPTIONS');
const QUEUE_WORKERS = Symbol('QUEUE_WORKERS');

const WAIT_MS = 30_000;
const DRAIN_MS = 20_000;
/** Redis only: what our keys begin with. */
const PREFIX = 'store-sync';

/**
 * Intake ends first, with Nest's first shutdown hook; jobs that run are waited for before the last one, with which the application's
 * database goes away; then queues and connections. Nest closes queues and workers once more, which does nothing.
 */
@Injectable()
class QueueShutdown implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  #drained: Promise<void> = Promise.resolve();

  constructor(
    @Inject(QUEUE_BACKEND) private readonly backend: QueueBackend,
    @Inject(QUEUE_WORKERS) private readonly workers: Workers,
    @Inject(Nudger) private readonly nudger: Nudger,
    @Inject(PacedNudges) private readonly paced: PacedNudges,
  ) {}

  onModuleDestroy(): void {
    this.paced.close();
    this.#drained = this.workers.closeAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#drained;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.nudger.close();
    await this.backend.close();
  }
}

/** Opens the storage, and makes @nestjs/bullmq use it, before any Queue or Worker is constructed. */
@Global()
@Module({})
class QueueStorageModule {
  static with(options: QueueModuleAsyncOptions): DynamicModule {
    return {
      module: QueueStorageModule,
      imports: options.imports ?? [],
      providers: [
        { provide: QUEUE_OPTIONS, inject: options.inject ?? [], useFactory: options.useFactory },
        {
          provide: QUEUE_BACKEND,
          inject: [QUEUE_OPTIONS],
          useFactory: async ({
            storage,
            log,
            waitMs = WAIT_MS,
          }: QueueModuleOptions): Promise<QueueBackend> => {
            const backend = await openQueueBackend(storage, { log, waitMs });
            backend.select();
            return backend;
          },
        },
        {
          provide: QUEUE_WORKERS,
          inject: [QUEUE_OPTIONS],
          useFactory: ({ log, drainMs = DRAIN_MS }: QueueModuleOptions): Workers => {
            const workers = createWorkers({ log, drainMs });
            BullModule.workerClass = workers.workerClass;
            return workers;
          },
        },
      ],
      exports: [QUEUE_OPTIONS, QUEUE_BACKEND, QUEUE_WORKERS],
    };
  }
}

/**
 * The queues (docs/decisions/0001-rows-before-queues.md): on PostgreSQL or Redis behind the same API. Exports the `Nudger`; processors are @nestjs/bullmq's own
 * (`@Processor('runs', { concurrency: 2 })` on a `WorkerHost`) and get this project's worker settings by themselves.
 * The start waits for the storage and fails (`transient`, `misconfigured`) without it. One application per process: the choice of
 * storage is global in bullmq.
 */
@Module({})
export class QueueModule {
  static forRoot(options: QueueModuleOptions): DynamicModule {
    return QueueModule.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync(options: QueueModuleAsyncOptions): DynamicModule {
    const storage = QueueStorageModule.with(options);
    return {
      module: QueueModule,
      global: true,
      imports: [
        storage,
        // Not BullModule.forRoot: queues take what it holds if it is there, and a Redis on this machine if opening the storage failed.
        BullModule.registerQueueAsync(
          ...QUEUE_NAMES.map((name) => ({
            name,
            imports: [storage],
            inject: [QUEUE_BACKEND],
            useFactory: queueOptions,
          })),
        ),
      ],
      providers: [
        {
          provide: Nudger,
          inject: [QUEUE_OPTIONS, ...QUEUE_NAMES.map((name) => getQueueToken(name))],
          useFactory: ({ log }: QueueModuleOptions, ...queues: Queue[]): Nudger =>
            new Nudger({ queues: byName(queues), log }),
        },
        {
          provide: PacedNudges,
          inject: [Nudger],
          useFactory: (nudger: Nudger): PacedNudges =>
            new PacedNudges((ids) => nudger.nudgeMany('deliveries', ids)),
        },
        QueueShutdown,
      ],
      exports: [Nudger, PacedNudges, BullModule],
    };
  }
}

function queueOptions(backend: QueueBackend): QueueOptions {
  return {
    // @nestjs/bullmq knows Redis only; its objects hand this through to the backend that was selected.
    connection: backend.connection,
    prefix: PREFIX,
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
