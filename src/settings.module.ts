import { Module, type DynamicModule } from '@nestjs/common';
import { APP_CONFIG, ConfigSource, type AppConfig } from './config/index.js';
import { CodedError } from './domain/errors.js';
import { DATABASE_SETTINGS, type DatabaseSettings } from './persistence/database-settings.js';
import { Clock, SYSTEM_CLOCK } from './runtime/clock.js';
import { Logger } from './runtime/logger.js';
import { Shutdown } from './runtime/shutdown.js';
import { RENAME_POLICY, type RenamePolicy } from './connections/store-keys.js';

/** The values that a process has before it makes its container. */
export interface AppSettings {
  readonly config: AppConfig;
  /** Reads the configuration again. Only the daemon needs it. */
  readonly source?: ConfigSource;
  /** The database's real address, also where the configuration says `embedded`. */
  readonly databaseUrl: string;
  readonly logger: Logger;
}

/** Configuration, database settings, logger, clock and shutdown: any class can have them injected. */
@Module({})
export class SettingsModule {
  /** `connections`: how many database connections the process may have. `renames`: what it does with stores of a new key. */
  static forRoot(
    { config, source, databaseUrl, logger }: AppSettings,
    connections: number,
    renames: RenamePolicy,
  ): DynamicModule {
    const database: DatabaseSettings = {
      url: databaseUrl,
      poolSize: connections,
      migrate: config.database.migrate,
    };
    return {
      module: SettingsModule,
      global: true,
      providers: [
        { provide: APP_CONFIG, useValue: config },
        { provide: ConfigSource, useValue: source ?? new ConfigSource(config, notReadAgain) },
        { provide: DATABASE_SETTINGS, useValue: database },
        { provide: RENAME_POLICY, useValue: renames },
        { provide: Logger, useValue: logger },
        { provide: Clock, useValue: SYSTEM_CLOCK },
        Shutdown,
      ],
      exports: [APP_CONFIG, ConfigSource, DATABASE_SETTINGS, RENAME_POLICY, Logger, Clock, Shutdown],
    };
  }
}

function notReadAgain(): never {
  throw new CodedError('misconfigured', 'this process does not read its configuration again');
}
