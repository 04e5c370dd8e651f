import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessTokens } from './api/access.js';
import { ApiModule } from './api/api.module.js';
import { InstallModule } from './api/probes.module.js';
import { AppModule } from './app.module.js';
import type { AppConfig, ProcessRole } from './config/index.js';
import { DashboardModule, DashboardOffModule } from './dashboard/dashboard.module.js';
import { LifecycleEventsModule, NotificationsModule } from './notifications/notifications.module.js';
import { EnqueuedRowWork } from './operations/enqueued-row-work.js';
import { QueuePort, RowWorkPort } from './operations/ports.js';
import { ProcessModule, type ProcessSettings } from './process.module.js';
import { ProcessorCheck, QUEUE_BACKEND } from './queue/index.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { DeliveriesProcessor } from './webhooks/deliveries.processor.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { BulkChangesProcessor } from './write-back/bulk-changes.processor.js';
import { WriteBacksProcessor } from './write-back/write-backs.processor.js';

/** The modules that a role adds to a process. */
const ROLE_MODULES: Readonly<
  Record<ProcessRole, (config: AppConfig) => NonNullable<DynamicModule['imports']>>
> = {
  receive: () => [WebhooksModule, InstallModule],
  work: ({ notifications }) => [
    WorkModule,
    ...(notifications.webhookUrl === undefined ? [] : [NotificationsModule]),
    ...(notifications.events.webhookUrl === undefined ? [] : [LifecycleEventsModule]),
  ],
  admin: (config) => [ApiModule, new AccessTokens(config).any ? DashboardModule : DashboardOffModule],
};

/** The workers of all queues, the schedules and the notifications. */
@Module({
  imports: [AppModule, ScheduleModule, DiscoveryModule],
  providers: [
    ProcessorCheck,
    RunsProcessor,
    CreationsProcessor,
    DeliveriesProcessor,
    WriteBacksProcessor,
    BulkChangesProcessor,
  ],
})
class WorkModule {}

/** The parts of every process, and what the roles of this one add (`server.roles`). */
@Global()
@Module({
  imports: [AppModule],
  providers: [
    { provide: RowWorkPort, useClass: EnqueuedRowWork },
    { provide: QueuePort, useExisting: QUEUE_BACKEND },
  ],
  exports: [RowWorkPort, QueuePort],
})
export class DaemonModule {
  static forRoot(settings: ProcessSettings): DynamicModule {
    const { config } = settings;
    return {
      module: DaemonModule,
      imports: [
        ProcessModule.forRoot(settings),
        ...config.server.roles.flatMap((role) => ROLE_MODULES[role](config)),
      ],
    };
  }
}
