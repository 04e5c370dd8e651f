import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import { RowWorkPort } from '../operations/ports.js';
import { SettingsModule, type AppSettings } from '../settings.module.js';
import { commandLogger } from './command-logger.js';
import { DirectRowWork } from './direct-row-work.js';

const CONNECTIONS = 12;

/** What every process has, for the length of one command. */
@Global()
@Module({
  imports: [AppModule],
  providers: [{ provide: RowWorkPort, useClass: DirectRowWork }],
  exports: [RowWorkPort],
})
export class CommandModule {
  static forRoot(settings: AppSettings): DynamicModule {
    const logger = commandLogger(settings.logger);
    return {
      module: CommandModule,
      imports: [SettingsModule.forRoot({ ...settings, logger }, CONNECTIONS)],
    };
  }
}
