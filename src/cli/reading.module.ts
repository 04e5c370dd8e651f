import { Global, Injectable, Module, type DynamicModule, type Type } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { TracingModule } from '../observability/tracing/tracing.module.js';
import { ApproverPort, ReapplierPort, RowWorkPort, WriteBackReverterPort } from '../operations/ports.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { SettingsModule, type AppSettings } from '../settings.module.js';
import { KnownSitesModule } from '../connections/known-sites.module.js';
import { commandLogger } from './command-logger.js';

const CONNECTIONS = 12;

/** The operations ask for these ports, but none of their methods that read uses one. */
@Injectable()
class NoWork implements RowWorkPort, WriteBackReverterPort, ReapplierPort, ApproverPort {
  readonly deliveries = refuse;
  readonly writeBacks = refuse;
  readonly run = refuse;
  readonly endRun = refuse;
  readonly bulkChange = refuse;
  readonly revert = refuse;
  readonly reapply = refuse;
  readonly approve = refuse;
}

const PORTS = [RowWorkPort, WriteBackReverterPort, ReapplierPort, ApproverPort];

function refuse(): Promise<never> {
  return Promise.reject(new CodedError('misconfigured', 'this command only reads'));
}

/** The parts of a command that only reads: rows, and the settings of workspaces and stores. */
@Global()
@Module({
  imports: [TracingModule, PersistenceModule, KnownSitesModule],
  providers: PORTS.map((port) => ({ provide: port, useClass: NoWork })),
  exports: PORTS,
})
export class ReadingModule {
  /** `service`: the class that the command works with. */
  static forRoot(settings: AppSettings, service: Type): DynamicModule {
    const logger = commandLogger(settings.logger);
    return {
      module: ReadingModule,
      providers: [service],
      imports: [SettingsModule.forRoot({ ...settings, logger }, CONNECTIONS, 'refuse')],
    };
  }
}
