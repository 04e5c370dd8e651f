import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import { OPERATIONS } from '../operations/operations.module.js';
import { RowWorkPort } from '../operations/ports.js';
import { SettingsModule, type AppSettings } from '../settings.module.js';
import { commandLogger } from './command-logger.js';
import { DirectRowWork } from './direct-row-work.js';
import { BulkFollower } from './bulk-follower.js';
import { RunFollower } from './run-follower.js';

const CONNECTIONS = 12;

/** The parts of every process, for the duration of one command. */
@Global()
@Module({
  imports: [AppModule],
  providers: [{ provide: RowWorkPort, useClass: DirectRowWork }],
  exports: [RowWorkPort],
})
export class CommandModule {
  /** `service`: what the command works with. */
  static forRoot(settings: AppSettings, service: Type): DynamicModule {
    const logger = commandLogger(settings.logger);
    return {
      module: CommandModule,
      providers: [RunFollower, BulkFollower, ...(OPERATIONS.includes(service) ? [] : [service])],
      imports: [SettingsModule.forRoot({ ...settings, logger }, CONNECTIONS)],
    };
  }
}
