import { Global, Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { Logger } from '../runtime/logger.js';
import { connectSites } from './connect-sites.js';
import { RunRequests } from './run-requests.js';
import { PaceRepository } from '../persistence/pace.repository.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { Sites } from './sites.js';
import { RENAME_POLICY, settleStoreKeys, type RenamePolicy } from './store-keys.js';
import { StoreProbe } from './store-probe.js';
import { WebhookSlot } from './webhook-slot.js';

/** Resolved once every configured store is tied to its rows; rejected when one of them cannot be. */
const STORE_KEYS = Symbol('STORE_KEYS');

/** The configured workspaces and stores, and the services that all stages share. */
@Global()
@Module({
  providers: [
    {
      provide: Sites,
      inject: [APP_CONFIG, Metrics, Logger, PaceRepository],
      useFactory: (config: AppConfig, metrics: Metrics, logger: Logger, pace: PaceRepository): Sites =>
        connectSites(config, { metrics, logger, pace }),
    },
    {
      provide: STORE_KEYS,
      inject: [Sites, StoreKeyRepository, RENAME_POLICY, Logger],
      useFactory: async (
        { stores }: Sites,
        keys: StoreKeyRepository,
        policy: RenamePolicy,
        logger: Logger,
      ): Promise<true> => {
        await settleStoreKeys(keys, stores, policy, logger);
        return true;
      },
    },
    RunRequests,
    WebhookSlot,
    StoreProbe,
  ],
  exports: [Sites, RunRequests, WebhookSlot, StoreProbe],
})
export class SitesModule {}
