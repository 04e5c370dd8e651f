import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { LoggerModule, type Params } from 'nestjs-pino';
import type { Logger } from 'pino';
import { connectSites, NUDGED_WORK, operationPorts, stateMetrics, workOnTheSpot } from './composition.js';
import { environment, tracingSettings, type AppConfig } from './config/index.js';
import { Metrics } from './metrics/metrics.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { OperationServicesModule } from './operations/services.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { QueueModule } from './queue/index.js';
import { RegistryModule } from './registry/registry.module.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { SyncModule } from './sync/sync.module.js';
import { TracingModule } from './tracing/tracing.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WriteBackModule } from './write-back/write-back.module.js';

export interface AppSettings {
  readonly config: AppConfig;
  /** The database's real address, also where the configuration says `embedded`. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Of nestjs-pino, on the same logger. */
  readonly loggerOptions: Params;
}

/** How long a worker may finish its jobs after SIGTERM; together with the rest within the orchestrator's 30 s. */
const DRAIN_MS = 20_000;
const DAEMON_CONNECTIONS = 24;
const COMMAND_CONNECTIONS = 12;

@Module({})
class MetricsModule {
  static with(metrics: Metrics): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      providers: [{ provide: Metrics, useValue: metrics }],
      exports: [Metrics],
    };
  }
}

/** The composition root: which parts a process is made of. */
@Module({})
export class AppModule {
  /** What works the rows: persistence, connections, the sync stage, the services of operations. Enough for a command. */
  static forCommand(settings: AppSettings): DynamicModule {
    return {
      module: AppModule,
      imports: AppModule.core(
        settings,
        COMMAND_CONNECTIONS,
        new Metrics(),
        workOnTheSpot(settings.logger.child({ stage: 'command' })),
      ),
    };
  }

  /** The daemon: the same, and the HTTP side, queues, workers and clockwork. */
  static forDaemon(settings: AppSettings): DynamicModule {
    const { config, logger, databaseUrl } = settings;
    const line = (text: string): void => {
      logger.warn(text);
    };
    const { redisUrl } = config.queue;
    return {
      module: AppModule,
      imports: [
        LoggerModule.forRoot(settings.loggerOptions),
        ...AppModule.core(settings, DAEMON_CONNECTIONS, new Metrics(), NUDGED_WORK),
        QueueModule.forRoot({
          storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
          log: line,
          drainMs: DRAIN_MS,
        }),
        WebhooksModule.forRoot(logger.child({ stage: 'webhooks' })),
        WriteBackModule.forRoot(logger.child({ stage: 'write-back' })),
        ScheduleModule.forRoot(config.server.publicUrl, logger.child({ stage: 'schedule' })),
        NotificationsModule.forRoot(config, logger.child({ stage: 'notifications' })),
        OperationsModule.forRoot(config.server.adminToken),
      ],
      providers: [RunsProcessor, CreationsProcessor, stateMetrics(logger.child({ stage: 'metrics' }))],
    };
  }

  private static core(settings: AppSettings, poolSize: number, metrics: Metrics, work: readonly Provider[]) {
    const { config, logger, databaseUrl } = settings;
    const sync = SyncModule.forRoot(logger.child({ stage: 'sync' }));
    return [
      TracingModule.forRoot(tracingSettings(environment()), logger.child({ stage: 'tracing' })),
      MetricsModule.with(metrics),
      PersistenceModule.forRoot({
        url: databaseUrl,
        poolSize,
        migrate: config.database.migrate,
        onConnectionError: (error) => {
          logger.warn({ err: error.message }, 'a database connection broke');
        },
      }),
      RegistryModule.forRoot(connectSites(config, metrics, logger.child({ stage: 'store' }))),
      sync,
      OperationServicesModule.with(
        operationPorts(config.server.publicUrl, sync, work, logger.child({ stage: 'write-back' })),
      ),
    ];
  }
}
