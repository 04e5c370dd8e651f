import { Global, Module } from '@nestjs/common';
import { ReceivingSiteMaker } from './receiving-site-maker.js';
import { ConnectionMaker } from './connection-maker.js';
import { CONNECTION_EXPORTS, CONNECTION_PROVIDERS } from './connection-providers.js';

/** The configured workspaces and stores for a process of the role `receive` alone. */
@Global()
@Module({
  providers: [...CONNECTION_PROVIDERS, { provide: ConnectionMaker, useClass: ReceivingSiteMaker }],
  exports: CONNECTION_EXPORTS,
})
export class ReceivingSitesModule {}
