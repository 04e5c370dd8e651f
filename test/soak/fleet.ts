import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { RunningCatalogSandbox } from '../../src/sandbox/catalog/index.js';
import type { TestStore } from '../support/sandbox/test-store.js';
import { TcpGate } from '../support/tcp-gate.js';
import { World } from '../support/e2e-world.js';
import type { TestCluster } from '../support/postgres.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { CLOCK_SKEW } from '../support/world/clock-skew.js';
import type { DaemonProcess } from '../support/world/daemon-process.js';
import type { DatabaseChoice } from '../support/world/database.js';
import { StoreDoor, type SeenWrite } from './store-door.js';
import { userOf } from './write-leases.js';

export const WORKSPACE = 'default';

export interface FleetOptions {
  readonly replicas: number;
  readonly stores: number;
  /** The queues are in a Redis that keeps nothing; otherwise in PostgreSQL. */
  readonly redis: boolean;
  /** A server of the fleet's own. */
  readonly database: Exclude<DatabaseChoice, string | { readonly url: string }>;
  readonly cron: (index: number) => string;
}

/** How a replica reaches the others. */
interface Ways {
  readonly gate: TcpGate;
  readonly door: StoreDoor;
  readonly databaseUrl: string;
}

/** Several stores, one catalog, one database, one Redis, and replicas that each reach the database and the stores on ways of their own. */
export class Fleet {
  private constructor(
    readonly world: World,
    readonly cluster: TestCluster,
    readonly db: pg.Pool,
    readonly redis: TestRedis | null,
    private readonly ways: readonly Ways[],
    private readonly options: FleetOptions,
  ) {}

  static async open(options: FleetOptions): Promise<Fleet> {
    const keys = Array.from({ length: options.stores }, (_, index) => `shop-${String(index)}`);
    const redis = options.redis ? await startTestRedis() : null;
    const world = await World.open({
      database: options.database,
      stores: keys,
      settings: {
        ...(redis === null ? {} : { queue: { redisUrl: redis.url } }),
        workspaces: {
          [WORKSPACE]: { requestsPerSecond: 500, webhook: { register: false }, generation: { mode: 'off' } },
        },
        stores: Object.fromEntries(
          keys.map((key, index) => [key, { schedule: { cron: options.cron(index) } }]),
        ),
      },
    });
    const { cluster } = world.database;
    if (cluster === null) throw new Error('the fleet needs a database server of its own');
    const db = world.database.pool();
    const targets = new Map([...world.stores].map(([key, { shop, url }]) => [key, { shop, url }]));
    const ways: Ways[] = [];
    for (let replica = 0; replica < options.replicas; replica += 1) {
      const gate = await TcpGate.before({ host: '127.0.0.1', port: Number(new URL(cluster.url).port) });
      const password = randomBytes(12).toString('hex');
      await db.query(`CREATE ROLE ${userOf(replica)} SUPERUSER LOGIN PASSWORD '${password}'`);
      const url = new URL(cluster.url);
      Object.assign(url, { username: userOf(replica), password, port: String(gate.port) });
      ways.push({ gate, door: await StoreDoor.open(replica, targets), databaseUrl: url.href });
    }
    return new Fleet(world, cluster, db, redis, ways, options);
  }

  get stores(): readonly TestStore[] {
    return [...this.world.stores.values()];
  }

  get keys(): readonly string[] {
    return [...this.world.stores.keys()];
  }

  get catalog(): RunningCatalogSandbox {
    return this.world.catalog;
  }

  get addresses(): readonly string[] {
    return this.world.replicas.slice(0, this.options.replicas);
  }

  /** The writes of all replicas to stores, by time. */
  get writes(): readonly SeenWrite[] {
    return this.ways.flatMap(({ door }) => door.writes).sort((one, other) => one.at - other.at);
  }

  gateOf(replica: number): TcpGate {
    return this.way(replica).gate;
  }

  /** Loads a replica whose clock is wrong by `skewMs`. */
  async load(replica: number, skewMs: number, schedule?: { readonly cron: string }): Promise<DaemonProcess> {
    const { databaseUrl, door } = this.way(replica);
    const stores = this.keys.map((key) => [
      key,
      { endpoint: door.urlOf(key), ...(schedule === undefined ? {} : { schedule }) },
    ]);
    const changes = { database: { url: databaseUrl }, stores: Object.fromEntries(stores) };
    return this.world.load(replica, changes, { [CLOCK_SKEW]: String(skewMs) });
  }

  async end(): Promise<void> {
    await this.world.end();
    for (const { gate, door } of this.ways) {
      door.close();
      await gate.close();
    }
    await this.redis?.stop();
  }

  private way(replica: number): Ways {
    const way = this.ways[replica];
    if (way === undefined) throw new Error(`the fleet has no replica ${String(replica)}`);
    return way;
  }
}
