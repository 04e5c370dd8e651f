import type { Provider } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { Logger } from '../runtime/logger.js';
import { InstallationTokens } from './installation-tokens.js';
import { InstalledStores } from './installed-stores.js';
import { RunRequests } from './run-requests.js';
import { ConnectionMaker } from './connection-maker.js';
import { ConnectionRefresh } from './connection-refresh.js';
import { Connections } from './connections.js';
import { RENAME_POLICY, settleStoreKeys, type RenamePolicy } from './store-keys.js';
import { StoreProbe } from './store-probe.js';
import { StoreSubscriptions } from './store-subscriptions.js';
import { WebhookSlot } from './webhook-slot.js';

/** Resolved once every configured store is tied to its rows; rejected when one of them cannot be. */
const STORE_KEYS = Symbol('STORE_KEYS');

/** The configured workspaces and stores with their connections, and what is known of them. */
export const CONNECTION_PROVIDERS: readonly Provider[] = [
  {
    provide: Connections,
    inject: [APP_CONFIG, InstalledStores, ConnectionMaker],
    useFactory: async (
      config: AppConfig,
      installed: InstalledStores,
      maker: ConnectionMaker,
    ): Promise<Connections> => {
      if (config.storeTemplate !== undefined) await installed.look();
      return maker.make(config);
    },
  },
  {
    provide: STORE_KEYS,
    inject: [Connections, StoreKeyRepository, RENAME_POLICY, Logger],
    useFactory: async (
      { stores }: Connections,
      keys: StoreKeyRepository,
      policy: RenamePolicy,
      logger: Logger,
    ): Promise<true> => {
      await settleStoreKeys(keys, stores, policy, logger);
      return true;
    },
  },
  ConnectionMaker,
  ConnectionRefresh,
  InstallationTokens,
  InstalledStores,
  RunRequests,
  StoreProbe,
  StoreSubscriptions,
  WebhookSlot,
];
