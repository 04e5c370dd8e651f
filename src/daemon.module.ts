import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import type { Logger as PinoLogger } from 'pino';
import { AccessTokens } from './api/access.js';
import { ApiModule } from './api/api.module.js';
import { AppModule } from './app.module.js';
import { DashboardModule, DashboardOffModule } from './dashboard/dashboard.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { createLoggerOptions } from './observability/logging/index.js';
import { EnqueuedRowWork } from './operations/enqueued-row-work.js';
import { RowWorkPort } from './operations/ports.js';
import { ProcessorCheck, QueueModule } from './queue/index.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { SettingsModule, type AppSettings } from './settings.module.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { DeliveriesProcessor } from './webhooks/deliveries.processor.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WriteBacksProcessor } from './write-back/write-backs.processor.js';

export interface DaemonSettings extends AppSettings {
  readonly logger: PinoLogger;
}

const CONNECTIONS = 24;

/** The parts of every process, and HTTP, queues, workers and schedules. */
@Global()
@Module({
  imports: [AppModule, WebhooksModule, ScheduleModule, ApiModule, DiscoveryModule],
  providers: [
    ProcessorCheck,
    RunsProcessor,
    CreationsProcessor,
    DeliveriesProcessor,
    WriteBacksProcessor,
    { provide: RowWorkPort, useClass: EnqueuedRowWork },
  ],
  exports: [RowWorkPort],
})
export class DaemonModule {
  static forRoot(settings: DaemonSettings): DynamicModule {
    const { config, logger, databaseUrl } = settings;
    const { redisUrl } = config.queue;
    return {
      module: DaemonModule,
      imports: [
        SettingsModule.forRoot(settings, CONNECTIONS),
        LoggerModule.forRoot(createLoggerOptions(logger)),
        QueueModule.forRoot({
          storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
        }),
        new AccessTokens(config).any ? DashboardModule : DashboardOffModule,
        ...(config.notifications.webhookUrl === undefined ? [] : [NotificationsModule]),
      ],
    };
  }
}
