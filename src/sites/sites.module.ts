import { Global, Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { Logger } from '../runtime/logger.js';
import { connected } from './connect-sites.js';
import { InstallationTokens } from './installation-tokens.js';
import { InstalledStores } from './installed-stores.js';
import { RunRequests } from './run-requests.js';
import { PaceRepository } from '../persistence/pace.repository.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { SiteRefresh } from './site-refresh.js';
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
      inject: [APP_CONFIG, InstalledStores, Metrics, Logger, PaceRepository],
      useFactory: async (
        config: AppConfig,
        installed: InstalledStores,
        metrics: Metrics,
        logger: Logger,
        pace: PaceRepository,
      ): Promise<Sites> => {
        if (config.storeTemplate !== undefined) await installed.look();
        const { workspaces, stores } = connected(config, { metrics, logger, pace }, null, { installed });
        return new Sites(workspaces, stores);
      },
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
    InstallationTokens,
    InstalledStores,
    SiteRefresh,
    RunRequests,
    WebhookSlot,
    StoreProbe,
  ],
  exports: [Sites, InstallationTokens, InstalledStores, SiteRefresh, RunRequests, WebhookSlot, StoreProbe],
})
export class SitesModule {}
