import type { Provider } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { Logger } from '../runtime/logger.js';
import { InstallationTokens } from './installation-tokens.js';
import { InstalledStores } from './installed-stores.js';
import { RunRequests } from './run-requests.js';
import { SiteMaker } from './connection-maker.js';
import { SiteRefresh } from './connection-refresh.js';
import { Sites } from './connections.js';
import { RENAME_POLICY, settleStoreKeys, type RenamePolicy } from './store-keys.js';

/** Resolved once every configured store is tied to its rows; rejected when one of them cannot be. */
const STORE_KEYS = Symbol('STORE_KEYS');

/** The configured workspaces and stores, and what is known of them. They need a `SiteMaker`. */
export const SITE_PROVIDERS: readonly Provider[] = [
  {
    provide: Sites,
    inject: [APP_CONFIG, InstalledStores, SiteMaker],
    useFactory: async (config: AppConfig, installed: InstalledStores, maker: SiteMaker): Promise<Sites> => {
      if (config.storeTemplate !== undefined) await installed.look();
      const { workspaces, stores } = maker.make(config, null);
      return new Sites(workspaces, stores, (set) => maker.connectionsOf(set));
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
];

/** Those of them that other modules use. */
export const SITE_EXPORTS = [Sites, SiteMaker, InstallationTokens, InstalledStores, SiteRefresh, RunRequests];
