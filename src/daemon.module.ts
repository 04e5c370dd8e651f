import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { AppModule, type AppSettings } from './app.module.js';
import { NUDGED_WORK, stateMetrics } from './daemon-composition.js';
import { Metrics } from './observability/metrics/metrics.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { ApiModule } from './api/api.module.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { QueueModule } from './queue/index.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WriteBackModule } from './write-back/write-back.module.js';

/** How long a worker may finish its jobs after SIGTERM; together with the rest within the orchestrator's 30 s. */
const DRAIN_MS = 20_000;
const CONNECTIONS = 24;

/** What every process has, and the HTTP side, queues, workers and clockwork. */
@Module({})
export class DaemonModule {
  static with(settings: AppSettings): DynamicModule {
    const { config, logger, databaseUrl } = settings;
    const line = (text: string): void => {
      logger.warn(text);
    };
    const { redisUrl } = config.queue;
    return {
      module: DaemonModule,
      imports: [
        LoggerModule.forRoot(settings.loggerOptions),
        ...AppModule.core(settings, CONNECTIONS, new Metrics(), NUDGED_WORK),
        QueueModule.forRoot({
          storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
          log: line,
          drainMs: DRAIN_MS,
        }),
        WebhooksModule.forRoot(logger.child({ stage: 'webhooks' })),
        WriteBackModule.forRoot(logger.child({ stage: 'write-back' })),
        ScheduleModule.forRoot(config, logger.child({ stage: 'schedule' })),
        NotificationsModule.forRoot(config, logger.child({ stage: 'notifications' })),
        ApiModule.forRoot(config.server.adminToken),
        DashboardModule.forRoot(config.server.adminToken),
      ],
      providers: [RunsProcessor, CreationsProcessor, stateMetrics(logger.child({ stage: 'metrics' }))],
    };
  }
}
