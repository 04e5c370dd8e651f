import {
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { AppConfig } from '../config/index.js';
import { ScheduleModule as NestScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { RetentionRepository } from '../persistence/retention.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { StoreEventRepository } from '../persistence/store-event.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { Nudger, PacedNudges } from '../queue/index.js';
import { RunRequests } from '../sites/run-requests.js';
import { Sites } from '../sites/sites.js';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import { Reconciler, type Nudge, type QueuePressure } from './reconciler.js';
import { Retention } from './retention.js';
import { Scheduler } from './scheduler.js';
import { TaskPoller } from './task-poller.js';
import { WebhookSlot } from '../sites/webhook-slot.js';

const NUDGE = Symbol('NUDGE');
const PRESSURE = Symbol('PRESSURE');

/** Starts the clockwork once everything that it could nudge is there. */
class ClockworkStart implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(private readonly scheduler: Scheduler) {}

  onApplicationBootstrap(): void {
    this.scheduler.start();
  }

  onModuleDestroy(): void {
    this.scheduler.stop();
  }
}

/** Due runs, reconcile, sweep, retention. */
@Module({})
export class ScheduleModule {
  static forRoot(config: AppConfig, log: Logger): DynamicModule {
    const { publicUrl } = config.server;
    return {
      module: ScheduleModule,
      imports: [NestScheduleModule.forRoot()],
      providers: [
        {
          provide: NUDGE,
          inject: [Nudger],
          useFactory:
            (nudger: Nudger): Nudge =>
            async (queue, ids) => {
              await nudger.nudgeMany(queue, ids);
            },
        },
        {
          provide: PRESSURE,
          inject: [Nudger, PacedNudges],
          useFactory: (nudger: Nudger, paced: PacedNudges): QueuePressure => ({
            waiting: (queue) => nudger.waiting(queue),
            get flooded() {
              return paced.flooded;
            },
          }),
        },
        {
          provide: TaskPoller,
          inject: [Sites, TaskRepository, LinkRepository, DeliveryRepository, WriteBackRepository],
          useFactory: (
            sites: Sites,
            tasks: TaskRepository,
            links: LinkRepository,
            deliveries: DeliveryRepository,
            writeBacks: WriteBackRepository,
          ) => new TaskPoller(sites, tasks, links, deliveries, writeBacks, SYSTEM_CLOCK),
        },
        {
          provide: Reconciler,
          inject: [
            Sites,
            RunRepository,
            DeliveryRepository,
            WriteBackRepository,
            LinkRepository,
            StateRepository,
            TaskPoller,
            WebhookSlot,
            NUDGE,
            PRESSURE,
          ],
          useFactory: (
            sites: Sites,
            runs: RunRepository,
            deliveries: DeliveryRepository,
            writeBacks: WriteBackRepository,
            links: LinkRepository,
            state: StateRepository,
            poller: TaskPoller,
            slot: WebhookSlot,
            nudge: Nudge,
            pressure: QueuePressure,
          ) =>
            new Reconciler({
              sites,
              runs,
              deliveries,
              writeBacks,
              links,
              state,
              poller,
              slot,
              nudge,
              pressure,
              log,
              publicUrl,
            }),
        },
        {
          provide: Retention,
          inject: [RetentionRepository],
          useFactory: (rows: RetentionRepository) =>
            new Retention(rows, config.database.keepDays, SYSTEM_CLOCK, log),
        },
        {
          provide: Scheduler,
          inject: [
            SchedulerRegistry,
            Sites,
            RunRequests,
            RunRepository,
            StoreEventRepository,
            Reconciler,
            Retention,
            NUDGE,
          ],
          useFactory: (
            registry: SchedulerRegistry,
            sites: Sites,
            requests: RunRequests,
            runs: RunRepository,
            events: StoreEventRepository,
            reconciler: Reconciler,
            retention: Retention,
            nudge: Nudge,
          ) =>
            new Scheduler({
              registry,
              sites,
              requests,
              runs,
              events,
              reconciler,
              retention,
              nudge,
              clock: SYSTEM_CLOCK,
              log,
            }),
        },
        {
          provide: ClockworkStart,
          inject: [Scheduler],
          useFactory: (scheduler: Scheduler) => new ClockworkStart(scheduler),
        },
      ],
      exports: [Scheduler, Reconciler],
    };
  }
}
