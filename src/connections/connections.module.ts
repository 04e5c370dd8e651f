import { Global, Module } from '@nestjs/common';
import { ConnectingSiteMaker } from './connecting-site-maker.js';
import { CONNECTION_EXPORTS, CONNECTION_PROVIDERS } from './connection-providers.js';
import { ConnectionMaker } from './connection-maker.js';
import { SilenceWatch } from './silence-watch.js';
import { StoreProbe } from './store-probe.js';
import { StoreSubscriptions } from './store-subscriptions.js';
import { WebhookSlot } from './webhook-slot.js';

/** The configured workspaces and stores with their connections, and the services that all stages share. */
@Global()
@Module({
  providers: [
    ...CONNECTION_PROVIDERS,
    { provide: ConnectionMaker, useClass: ConnectingSiteMaker },
    WebhookSlot,
    StoreProbe,
    StoreSubscriptions,
    SilenceWatch,
  ],
  exports: [...CONNECTION_EXPORTS, WebhookSlot, StoreProbe, StoreSubscriptions],
})
export class ConnectionsModule {}
