import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import type { Logger as PinoLogger } from 'pino';
import { AccessTokens } from './api/access.js';
import { ApiModule, InstallModule, ProbesModule } from './api/api.module.js';
import { AppModule } from './app.module.js';
import type { AppConfig, ProcessRole } from './config/index.js';
import { DashboardModule, DashboardOffModule } from './dashboard/dashboard.module.js';
import { LifecycleEventsModule, NotificationsModule } from './notifications/notifications.module.js';
import { createLoggerOptions } from './observability/logging/index.js';
import { EnqueuedRowWork } from './operations/enqueued-row-work.js';
import { RowWorkPort } from './operations/ports.js';
import { ProcessorCheck, QueueModule } from './queue/index.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { SettingsModule, type AppSettings } from './settings.module.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { DeliveriesProcessor } from './webhooks/deliveries.processor.js';
import { workConnections } from './runtime/connection-budget.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { BulkChangesProcessor } from './write-back/bulk-changes.processor.js';
import { WriteBacksProcessor } from './write-back/write-backs.processor.js';

export interface DaemonSettings extends AppSettings {
  readonly logger: PinoLogger;
}

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

/** The parts of every process, the probes, and what the roles of this process add (`server.roles`). */
@Global()
@Module({
  imports: [AppModule, ProbesModule],
  providers: [{ provide: RowWorkPort, useClass: EnqueuedRowWork }],
  exports: [RowWorkPort],
})
export class DaemonModule {
  static forRoot(settings: DaemonSettings): DynamicModule {
    const { config, logger, databaseUrl } = settings;
    const { redisUrl, runsAtOnce } = config.queue;
    return {
      module: DaemonModule,
      imports: [
        SettingsModule.forRoot(settings, workConnections(runsAtOnce), 'move'),
        LoggerModule.forRoot(createLoggerOptions(logger)),
        QueueModule.forRoot({
          storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
        }),
        ...config.server.roles.flatMap((role) => ROLE_MODULES[role](config)),
      ],
    };
  }
}
