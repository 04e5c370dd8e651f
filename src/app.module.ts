import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { Params } from 'nestjs-pino';
import type { Logger } from 'pino';
import { connectSites, operationPorts, workOnTheSpot } from './composition.js';
import { environment, tracingSettings, type AppConfig } from './config/index.js';
import { Metrics } from './observability/metrics/metrics.js';
import { OperationsModule } from './operations/operations.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { SitesModule } from './sites/sites.module.js';
import { SyncModule } from './sync/sync.module.js';
import { TracingModule } from './observability/tracing/tracing.module.js';

export interface AppSettings {
  readonly config: AppConfig;
  /** The database's real address, also where the configuration says `embedded`. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Of nestjs-pino, on the same logger. */
  readonly loggerOptions: Params;
}

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

/** The composition root: which parts a process is made of. The daemon's own are in `daemon.module.ts`. */
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

  /** What every process has. */
  static core(settings: AppSettings, poolSize: number, metrics: Metrics, work: readonly Provider[]) {
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
      SitesModule.forRoot(connectSites(config, metrics, logger.child({ stage: 'store' }))),
      sync,
      OperationsModule.with(
        operationPorts(config.server.publicUrl, sync, work, logger.child({ stage: 'write-back' })),
      ),
    ];
  }
}
