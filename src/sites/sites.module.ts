import { Global, Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { Logger } from '../runtime/logger.js';
import { connectSites } from './connect-sites.js';
import { RunRequests } from './run-requests.js';
import { Sites } from './sites.js';
import { StoreProbe } from './store-probe.js';
import { WebhookSlot } from './webhook-slot.js';

/** The configured workspaces and stores, and the services that all stages share. */
@Global()
@Module({
  providers: [
    {
      provide: Sites,
      inject: [APP_CONFIG, Metrics, Logger],
      useFactory: (config: AppConfig, metrics: Metrics, logger: Logger): Sites =>
        connectSites(config, { metrics, logger }),
    },
    RunRequests,
    WebhookSlot,
    StoreProbe,
  ],
  exports: [Sites, RunRequests, WebhookSlot, StoreProbe],
})
export class SitesModule {}
