import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import { OPERATIONS } from '../operations/operations.module.js';
import { RowWorkPort } from '../operations/ports.js';
import { SettingsModule, type AppSettings } from '../settings.module.js';
import { commandLogger } from './command-logger.js';
import { DirectRowWork } from './direct-row-work.js';
import { BulkFollower } from './bulk-follower.js';
import { RunFollower } from './run-follower.js';
import { SilenceLines } from './silence-lines.js';

const CONNECTIONS = 12;

/** The parts of every process, for the duration of one command. */
@Global()
@Module({
  imports: [AppModule],
  providers: [{ provide: RowWorkPort, useClass: DirectRowWork }],
  exports: [RowWorkPort],
})
export class CommandModule {
  /** `service`: the class that the command works with. A command that only reads moves no rows of a store to a new key. */
  static forRoot(settings: AppSettings, service: Type, changes = false): DynamicModule {
    const logger = commandLogger(settings.logger);
    return {
      module: CommandModule,
      providers: [
        RunFollower,
        BulkFollower,
        SilenceLines,
        ...(OPERATIONS.includes(service) ? [] : [service]),
      ],
      imports: [SettingsModule.forRoot({ ...settings, logger }, CONNECTIONS, changes ? 'move' : 'refuse')],
    };
  }
}
