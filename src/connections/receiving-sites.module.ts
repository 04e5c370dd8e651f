import { Global, Module } from '@nestjs/common';
import { ReceivingSiteMaker } from './receiving-site-maker.js';
import { SiteMaker } from './connection-maker.js';
import { SITE_EXPORTS, SITE_PROVIDERS } from './connection-providers.js';

/** The configured workspaces and stores for a process of the role `receive` alone. */
@Global()
@Module({
  providers: [...SITE_PROVIDERS, { provide: SiteMaker, useClass: ReceivingSiteMaker }],
  exports: SITE_EXPORTS,
})
export class ReceivingSitesModule {}
