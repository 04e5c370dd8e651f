import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Logger as PinoLogger } from 'pino';
import { ProbesModule } from './api/probes.module.js';
import { createLoggerOptions } from './observability/logging/index.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { TracingModule } from './observability/tracing/tracing.module.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { QueueModule } from './queue/index.js';
import { CONNECTION_BUDGET } from './runtime/connection-budget.js';
import { SettingsModule, type AppSettings } from './settings.module.js';

export interface ProcessSettings extends AppSettings {
  readonly logger: PinoLogger;
}

/** The parts of every process that serves, whatever its roles. */
@Module({})
export class ProcessModule {
  static forRoot(settings: ProcessSettings): DynamicModule {
    const { config, logger, databaseUrl } = settings;
    const { redisUrl } = config.queue;
    return {
      module: ProcessModule,
      imports: [
        SettingsModule.forRoot(settings, CONNECTION_BUDGET.work, 'move'),
        LoggerModule.forRoot(createLoggerOptions(logger)),
        QueueModule.forRoot({
          storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
        }),
        TracingModule,
        MetricsModule,
        PersistenceModule,
        ProbesModule,
      ],
    };
  }
}
