import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { stringify } from 'yaml';
import { stopServer } from '../../src/embedded-postgres/server.js';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../src/sandbox/catalog/index.js';
import {
  startStoreSandbox,
  type RunningStoreSandbox,
  type StoreSandboxOptions,
} from '../../src/sandbox/store/index.js';
import { createTestDatabase, startTestCluster, type TestCluster } from '../support/postgres.js';
import { freePort } from '../support/e2e-settings.js';
import { redisOfAWorld } from '../support/redis.js';
import { runDirectory } from '../support/run-directory.js';
import { DaemonProcess } from './daemon-process.js';

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
  /** What the daemon calls in place of the sandboxes, e.g. a fault proxy; given their addresses. */
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
  load(replica?: number, workspace?: object, env?: Readonly<Record<string, string>>): Promise<DaemonProcess>;
  /** Stops the database server at once, as a crash would. */
  crashDatabase(): Promise<void>;
  /** Lets time pass for leases alone: whoever holds one is taken for dead. */
  expireLeases(): Promise<void>;
  /** What waits for its next try comes due. */
  hurry(): Promise<void>;
  end(): Promise<void>;
}

export async function openFaultWorld(given: FaultWorldOptions = {}): Promise<FaultWorld> {
  const options = { ...given, redisUrl: given.redisUrl ?? redisOfAWorld() ?? '' };
  const ends: (() => Promise<unknown>)[] = [];
  const end = async (): Promise<void> => {
    for (const close of ends.splice(0).reverse()) await close();
  };
  try {
    const name = `fault-${randomBytes(6).toString('hex')}`;
    const cluster =
      options.ownCluster === undefined || options.ownCluster === false
        ? null
        : await startTestCluster(options.ownCluster === true ? name : options.ownCluster);
    const databaseUrl = cluster?.url ?? (await createTestDatabase()).url;
    const db = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    db.on('error', () => undefined); // a server that a test stopped
    ends.push(async () => {
      await db.end();
      if (cluster !== null) await stopServer(cluster.place, 'immediate', 10_000);
    });
    // Test servers commit asynchronously for speed; one that is to crash must keep what it acknowledged.
    if (cluster !== null) await db.query('ALTER DATABASE postgres SET synchronous_commit = on');
    const store = await startStoreSandbox({ shop: SHOP, throttle: false, ...options.store });
    ends.push(() => store.stop());
    const catalog = options.withCatalog === true ? await openCatalog(options, ends) : null;
    const ports = [await freePort(), await freePort(), await freePort()];
    const secrets = { webhookSecret: hex(), adminToken: hex() };
    const token = catalog === null ? 'nobody' : (await catalog.issueApiToken('fault tests')).token;
    const direct = { catalogUrl: catalog?.baseUrl ?? 'http://127.0.0.1:9/api/v1', storeUrl: store.url };
    const sides = options.through?.(direct) ?? direct;
    const configFile = async (replica: number, workspace: object): Promise<string> => {
      const file = join(runDirectory(), `${name}-${String(replica)}.yaml`);
      const text = stringify(
        settings(
          { ...options, workspaceSettings: { ...options.workspaceSettings, ...workspace } },
          { ...sides, ...secrets, token, databaseUrl, ports, replica, store },
        ),
      );
      await writeFile(file, text, { mode: 0o600 });
      return file;
    };
    const url = `http://127.0.0.1:${String(ports[0])}`;
    return {
      url,
      webhookUrl: `${url}/webhooks/catalog/${WORKSPACE}`,
      ...secrets,
      databaseUrl,
      cluster,
      store,
      catalog,
      db,
      replicas: ports.map((port) => `http://127.0.0.1:${String(port)}`),
      load: async (replica = 0, workspace = {}, env = {}) => {
        const daemon = await DaemonProcess.load(await configFile(replica, workspace), env);
        ends.push(() => daemon.discard());
        return daemon;
      },
      crashDatabase: async () => {
        if (cluster === null) throw new Error('this world has no database server of its own');
        if (!(await stopServer(cluster.place, 'immediate', 10_000)))
          throw new Error('the server does not stop');
      },
      expireLeases: () => expireLeases(db),
      hurry: () => hurry(db),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function openCatalog(
  options: FaultWorldOptions,
  ends: (() => Promise<unknown>)[],
): Promise<RunningCatalogSandbox> {
  const catalog = await startCatalogSandbox({
    databaseUrl: (await createTestDatabase()).url,
    generationDelayMs: 50,
    pollMs: 100,
    retryDelaysMs: [200, 400, 800, 1_600, 3_200],
    notifyAgain: true,
    ...options.catalog,
  });
  ends.push(() => catalog.stop());
  return catalog;
}

interface Wiring {
  readonly catalogUrl: string;
  readonly storeUrl: string;
  readonly webhookSecret: string;
  readonly adminToken: string;
  readonly token: string;
  readonly databaseUrl: string;
  readonly ports: readonly number[];
  readonly replica: number;
  readonly store: RunningStoreSandbox;
}

function settings(options: FaultWorldOptions, wiring: Wiring): object {
  const webhooks = options.webhooks ?? true;
  return {
    server: {
      host: '127.0.0.1',
      port: wiring.ports[wiring.replica],
      adminToken: wiring.adminToken,
      ...(webhooks ? { publicUrl: `http://127.0.0.1:${String(wiring.ports[0])}` } : {}),
    },
    database: { url: wiring.databaseUrl },
    queue: { redisUrl: options.redisUrl ?? '' },
    workspaces: {
      [WORKSPACE]: {
        baseUrl: wiring.catalogUrl,
        auth: { apiToken: wiring.token },
        requestsPerSecond: 500,
        webhook: { hmacSecret: wiring.webhookSecret, register: webhooks && options.withCatalog === true },
        tasks: { pollSeconds: 1 },
        ...options.workspaceSettings,
      },
    },
    stores: {
      [STORE]: {
        workspace: WORKSPACE,
        shop: SHOP,
        endpoint: wiring.storeUrl,
        auth: { accessToken: wiring.store.accessToken ?? '' },
        // Nothing happens by the clock unless a test says so.
        schedule: { cron: '0 0 1 1 *' },
        ...options.storeSettings,
      },
    },
  };
}

async function expireLeases(db: pg.Pool): Promise<void> {
  await db.query(
    `UPDATE webhook_delivery SET lease_until = now() - interval '1 second' WHERE lease IS NOT NULL`,
  );
  await db.query(
    `UPDATE store_product SET write_lease_until = now() - interval '1 second' WHERE write_lease IS NOT NULL`,
  );
  await db.query(`UPDATE sync_run SET lease_until = now() - interval '1 second' WHERE state = 'running'`);
}

async function hurry(db: pg.Pool): Promise<void> {
  await db.query(`UPDATE webhook_delivery SET next_attempt_at = now() WHERE state = 'received'`);
  await db.query(`UPDATE write_back SET next_attempt_at = now() WHERE state = 'ready'`);
  await db.query(`UPDATE sync_run SET retry_at = now() WHERE retry_at IS NOT NULL`);
}

/** Asks until the answer is true. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = 120_000,
): Promise<void> {
  for (const end = performance.now() + withinMs; ;) {
    if (await isSo()) return;
    if (performance.now() > end) throw new Error(`not within ${String(withinMs)} ms: ${what}`);
    await sleep(50);
  }
}

function hex(): string {
  return randomBytes(32).toString('hex');
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
