import { Global, Module } from '@nestjs/common';
import { ConnectingSiteMaker } from './connecting-site-maker.js';
import { SITE_EXPORTS, SITE_PROVIDERS } from './connection-providers.js';
import { SiteMaker } from './connection-maker.js';
import { StoreProbe } from './store-probe.js';
import { StoreSubscriptions } from './store-subscriptions.js';
import { WebhookSlot } from './webhook-slot.js';

/** The configured workspaces and stores with their connections, and the services that all stages share. */
@Global()
@Module({
  providers: [
    ...SITE_PROVIDERS,
    { provide: SiteMaker, useClass: ConnectingSiteMaker },
    WebhookSlot,
    StoreProbe,
    StoreSubscriptions,
  ],
  exports: [...SITE_EXPORTS, WebhookSlot, StoreProbe, StoreSubscriptions],
})
export class SitesModule {}
