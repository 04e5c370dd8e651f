import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { RunningCatalogSandbox } from '../../src/sandbox/catalog/index.js';
import type { RunningStoreSandbox, StoreSandboxOptions } from '../../src/sandbox/store/index.js';
import { merged, type Settings } from '../support/e2e-settings.js';
import { World } from '../support/e2e-world.js';
import type { TestCluster } from '../support/postgres.js';
import { until } from '../support/until.js';
import type { DaemonProcess } from '../support/world/daemon-process.js';

export { until };

export const SHOP = 'fault-tests.myshopify.com';
export const STORE = 'main';
export const WORKSPACE = 'default';

export interface FaultWorldOptions {
  /** Absent: in the Redis of REDIS_URL where that is set, otherwise in PostgreSQL. */
  readonly redisUrl?: string;
  /** A database server of its own, which may be stopped; otherwise a fresh database in the run's shared one. A text names its
   * directory within the run's. */
  readonly ownCluster?: boolean | string;
  /** With the sandbox's catalog; without, nobody answers at the workspace's address. */
  readonly withCatalog?: boolean;
  /** Webhook deliveries are configured; default true. */
  readonly webhooks?: boolean;
  readonly catalog?: {
    readonly notifyAgain?: boolean;
    readonly retryDelaysMs?: readonly number[];
    readonly generationDelayMs?: number;
  };
  readonly store?: StoreSandboxOptions;
  /** Merged over the workspace's and the store's settings. */
  readonly workspaceSettings?: object;
  readonly storeSettings?: object;
  /** Returns the addresses that the daemon calls instead of the sandboxes, such as those of a fault proxy. */
  readonly through?: (sides: { catalogUrl: string; storeUrl: string }) => {
    catalogUrl: string;
    storeUrl: string;
  };
}

/** The daemon's surroundings: both sides, its database, its configuration. The daemon itself is started by the test. */
export interface FaultWorld {
  readonly url: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  readonly adminToken: string;
  readonly databaseUrl: string;
  readonly cluster: TestCluster | null;
  readonly store: RunningStoreSandbox;
  readonly catalog: RunningCatalogSandbox | null;
  readonly db: pg.Pool;
  /** Addresses of the replicas, the first of which is `url`. */
  readonly replicas: readonly string[];
  /**
   * Loads a daemon of this world; `replica` n (0 to 2) listens at an address of its own. `workspace`: further settings.
   * `env`: further environment variables.
   */
  load(
    replica?: number,
    workspace?: Settings,
    env?: Readonly<Record<string, string>>,
  ): Promise<DaemonProcess>;
  /** Stops the database server at once, as a crash would. */
  crashDatabase(): Promise<void>;
  /** Lets time pass for leases alone: whoever holds one is taken for dead. */
  expireLeases(): Promise<void>;
  /** Makes everything that waits for a retry due. */
  hurry(): Promise<void>;
  end(): Promise<void>;
}

/** A `World` with the names and settings that fault tests have in common. */
export async function openFaultWorld(options: FaultWorldOptions = {}): Promise<FaultWorld> {
  const { ownCluster = false, webhooks = true, withCatalog = false } = options;
  const name = ownCluster === true ? `fault-${randomBytes(6).toString('hex')}` : ownCluster;
  const world = await World.open({
    ...(name === false ? {} : { database: { cluster: name } }),
    catalog: withCatalog ? { ...PATIENT_CATALOG, ...options.catalog } : false,
    stores: [STORE],
    store: { shop: SHOP, ...options.store },
    settings: settings(options, webhooks && withCatalog),
    ...(options.through ? { through: options.through } : {}),
  });
  const { database, url, webhookSecret, adminToken, replicas } = world;
  return {
    ...{ url, webhookSecret, adminToken, replicas },
    webhookUrl: `${url}/webhooks/catalog/${WORKSPACE}`,
    databaseUrl: database.url,
    cluster: database.cluster,
    store: world.store,
    catalog: withCatalog ? world.catalog : null,
    db: await database.pool(),
    load: (replica = 0, workspace = {}, env = {}) =>
      world.load(replica, { workspaces: { [WORKSPACE]: workspace } }, env),
    crashDatabase: () => database.crash(),
    expireLeases: () => database.expireLeases(),
    hurry: () => database.hurry(),
    end: () => world.end(),
  };
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

/** Asks the daemon at the world's first address for a run; its id. */
export async function requestRun(world: FaultWorld, full = true): Promise<string> {
  const answer = await fetch(`${world.url}/api/v1/stores/${STORE}/syncs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ full }),
  });
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null || !('id' in body))
    throw new Error(`no run was taken on: ${JSON.stringify(body)}`);
  return String(body.id);
}
