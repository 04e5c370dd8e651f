import { randomBytes } from 'node:crypto';
import type { TestStoreOptions } from '../support/sandbox/test-store.js';
import { merged, type Settings } from '../support/e2e-settings.js';
import { World } from '../support/e2e-world.js';

export const SHOP = 'fault-tests.myshopify.com';
export const STORE = 'main';
export const WORKSPACE = 'default';

export interface FaultWorldOptions {
  /** Absent: in the Redis of REDIS_URL where that is set, otherwise in PostgreSQL. */
  readonly redisUrl?: string;
  /** A database server of its own, which may be stopped; otherwise a fresh database in the run's shared one. A text names its
   * directory within the run's. */
  readonly ownCluster?: boolean | string;
  /** Starts a catalog service. Without it, the workspace's address refuses connections. */
  readonly withCatalog?: boolean;
  /** Webhook deliveries are configured; default true. */
  readonly webhooks?: boolean;
  readonly catalog?: {
    readonly notifyAgain?: boolean;
    readonly retryDelaysMs?: readonly number[];
    readonly generationDelayMs?: number;
  };
  readonly store?: TestStoreOptions;
  /** Merged over the workspace's and the store's settings. */
  readonly workspaceSettings?: object;
  readonly storeSettings?: object;
}

/** A world with the names and settings that fault tests have in common. */
export async function openFaultWorld(options: FaultWorldOptions = {}): Promise<World> {
  const { ownCluster = false, webhooks = true, withCatalog = false } = options;
  const name = ownCluster === true ? `fault-${randomBytes(6).toString('hex')}` : ownCluster;
  return World.open({
    ...(name === false ? {} : { database: { cluster: name } }),
    catalog: withCatalog ? { ...PATIENT_CATALOG, ...options.catalog } : false,
    stores: [STORE],
    store: { shop: SHOP, ...options.store },
    settings: settings(options, webhooks && withCatalog),
  });
}

const PATIENT_CATALOG = {
  generationDelayMs: 50,
  retryDelaysMs: [200, 400, 800, 1_600, 3_200],
  notifyAgain: true,
};

function settings(options: FaultWorldOptions, register: boolean): Settings {
  return {
    ...(options.webhooks === false ? { server: { publicUrl: '' } } : {}),
    ...(options.redisUrl === undefined ? {} : { queue: { redisUrl: options.redisUrl } }),
    workspaces: {
      [WORKSPACE]: merged(
        { requestsPerSecond: 500, webhook: { register }, tasks: { pollSeconds: 1 } },
        { ...options.workspaceSettings },
      ),
    },
    stores: { [STORE]: { ...options.storeSettings } },
  };
}
