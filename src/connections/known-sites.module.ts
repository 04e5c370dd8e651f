import { Global, Module } from '@nestjs/common';
import { SettingsSiteMaker } from './settings-site-maker.js';
import { ConnectionMaker } from './connection-maker.js';
import { CONNECTION_EXPORTS, CONNECTION_PROVIDERS } from './connection-providers.js';

/** The configured workspaces and stores by their settings alone, for a process that calls neither side. */
@Global()
@Module({
  providers: [...CONNECTION_PROVIDERS, { provide: ConnectionMaker, useClass: SettingsSiteMaker }],
  exports: CONNECTION_EXPORTS,
})
export class KnownSitesModule {}
