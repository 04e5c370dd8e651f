import { Global, Module } from '@nestjs/common';
import { SettingsSiteMaker } from './settings-site-maker.js';
import { SiteMaker } from './connection-maker.js';
import { SITE_EXPORTS, SITE_PROVIDERS } from './connection-providers.js';

/** The configured workspaces and stores by their settings alone, for a process that calls neither side. */
@Global()
@Module({
  providers: [...SITE_PROVIDERS, { provide: SiteMaker, useClass: SettingsSiteMaker }],
  exports: SITE_EXPORTS,
})
export class KnownSitesModule {}
