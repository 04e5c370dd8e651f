import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { RunningCatalogSandbox } from '../../src/sandbox/catalog/index.js';
import type { TestStore } from './sandbox/test-store.js';
import { Program, runProgram, type ProgramEnd } from './e2e-program.js';
import { merged, type Settings } from './e2e-settings.js';
import type { FaultProxy } from './fault-proxy.js';
import { ownPort } from './ports.js';
import { redisOfAWorld } from './redis.js';
import { endWithTheFile } from './left-open.mjs';
import { runDirectory } from './run-directory.js';
import { signed } from './signed-delivery.js';
import { until } from './until.js';
import { callCatalog, catalogProducts, catalogWrites, type CatalogEntry } from './world/catalog-calls.js';
import { DaemonHere } from './world/daemon-here.js';
import { DaemonProcess } from './world/daemon-process.js';
import { WorldDatabase, type DatabaseChoice } from './world/database.js';
import { callJson, type JsonAnswer } from './world/json-call.js';
import { Services, STORE_TOKEN, type ServicesOptions } from './world/services.js';

export { until };

export interface WorldOptions extends ServicesOptions {
  readonly database?: DatabaseChoice;
  readonly settings?: Settings;
}

export const runSchema = z.object({
  id: z.string(),
  store: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'partial', 'failed']),
  kind: z.string().optional(),
  counts: z.object({
    seen: z.number(),
    created: z.number(),
    updated: z.number(),
    unchanged: z.number(),
    conflicted: z.number(),
    failed: z.number(),
    orphaned: z.number(),
    generationRequested: z.number(),
  }),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  error: z.string().nullable(),
});
export type Run = z.infer<typeof runSchema>;

const upSchema = z.object({ msg: z.literal('store-sync is up'), port: z.number() });
/** Addresses for as many daemons of one world. */
const REPLICAS = 3;

/**
 * The surroundings of the program: catalog, stores and database as real services, and the configuration that connects them. A daemon
 * in them is the built program (`start`), one in the test's process (`startHere`), or a child that can be killed at any step (`load`).
 */
export class World {
  readonly adminToken = `admin-${randomBytes(12).toString('hex')}`;
  readonly webhookSecret = `hook-${randomBytes(12).toString('hex')}`;
  private readonly ends: (() => Promise<void>)[] = [];
  private readonly redisUrl = redisOfAWorld() ?? '';
  private readonly forget = endWithTheFile(() => this.end());

  private constructor(
    readonly directory: string,
    readonly services: Services,
    readonly database: WorldDatabase,
    /** One for each replica, chosen before it starts: the webhook's address is part of the configuration. */
    private readonly ports: readonly number[],
    private readonly options: WorldOptions,
  ) {}

  static async open(options: WorldOptions = {}): Promise<World> {
    const directory = await mkdtemp(join(runDirectory(), 'e2e-'));
    // As root, the embedded server runs as another user, who must reach its files below.
    await chmod(directory, 0o755);
    const ports: number[] = [];
    while (ports.length < REPLICAS) ports.push(await ownPort());
    const database = await WorldDatabase.open(options.database ?? 'given');
    const services = await Services.open(options).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    const world = new World(directory, services, database, ports, options);
    world.ends.push(
      () => services.stop(),
      () => database.close(),
    );
    await world.configure(options.settings ?? {});
    return world;
  }

  get catalog(): RunningCatalogSandbox {
    return this.services.catalog;
  }

  get stores(): ReadonlyMap<string, TestStore> {
    return this.services.stores;
  }

  get proxy(): FaultProxy | null {
    return this.services.proxy;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Of the first replica. */
  get port(): number {
    return this.ports[0] ?? 0;
  }

  /** The first store. */
  get store(): TestStore {
    const [first] = this.stores.values();
    if (!first) throw new Error('the world has no store');
    return first;
  }

  storeOf(key: string): TestStore {
    const store = this.stores.get(key);
    if (!store) throw new Error(`the world has no store ${key}`);
    return store;
  }

  get dataDir(): string {
    return join(this.directory, 'data');
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where the catalog sends deliveries of the workspace. */
  get webhookUrl(): string {
    return `${this.url}/webhooks/catalog/default`;
  }

  /** The addresses of all replicas, the first of which is `url`. */
  get replicas(): readonly string[] {
    return this.ports.map((port) => `http://127.0.0.1:${String(port)}`);
  }

  get configFile(): string {
    return join(this.directory, 'store-sync.yaml');
  }

  get env(): Record<string, string> {
    return {
      STORE_SYNC_CONFIG: this.configFile,
      ADMIN_TOKEN: this.adminToken,
      CATALOG_API_TOKEN: this.services.catalogToken,
      CATALOG_WEBHOOK_SECRET: this.webhookSecret,
      SHOPIFY_ACCESS_TOKEN: STORE_TOKEN,
    };
  }

  /** Writes the configuration file again: the world's settings with `changes` over them. */
  async configure(changes: Settings): Promise<void> {
    await writeFile(this.configFile, stringify(merged(this.settings(), changes)), { mode: 0o600 });
  }

  private settings(): Settings {
    const stores = [...this.stores].map(([key, store]) => [
      key,
      {
        workspace: 'default',
        shop: store.shop,
        endpoint: store.url,
        auth: { accessToken: '${SHOPIFY_ACCESS_TOKEN}' },
        // Never due: tests request runs.
        schedule: { cron: '0 0 29 2 *' },
      },
    ]);
    return {
      server: { host: '127.0.0.1', port: this.port, publicUrl: this.url, adminToken: '${ADMIN_TOKEN}' },
      database: { url: this.databaseUrl, dataDir: this.dataDir },
      queue: { redisUrl: this.redisUrl },
      workspaces: {
        default: {
          baseUrl: this.services.catalogUrl,
          auth: { apiToken: '${CATALOG_API_TOKEN}' },
          requestsPerSecond: 2000,
          webhook: { hmacSecret: '${CATALOG_WEBHOOK_SECRET}' },
          tasks: { pollSeconds: 2 },
        },
      },
      stores: Object.fromEntries(stores),
    };
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProgramEnd> {
    return runProgram(args, { cwd: this.directory, env: { ...this.env, ...env } });
  }

  /** Starts the daemon and waits until it is up. `end` stops it. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const program = await Program.start(['start'], { cwd: this.directory, env: { ...this.env, ...env } });
    this.ends.push(async () => {
      if (!program.ended) program.signal('SIGTERM');
      await program.exit();
    });
    await program.line((line) => upSchema.safeParse(parsed(line)).success);
    return program;
  }

  /** Starts a daemon in this process with the configuration as it is now. `end` stops it, unless the test did. */
  async startHere(options: { readonly quiet?: boolean } = {}): Promise<DaemonHere> {
    const here = await DaemonHere.start(this, options);
    this.ends.push(() => here.stop());
    return here;
  }

  /** Runs a daemon in this process while `work` lasts, and until everything that it led to is settled. */
  async whileUp(work: () => Promise<void>): Promise<void> {
    const here = await this.startHere();
    try {
      await work();
      await this.settled();
    } finally {
      await here.stop();
    }
  }

  /**
   * Loads a daemon in a process of its own, to be killed. Replica n (0 to 2) listens at an address of its own. `changes` go over the
   * world's settings, and `env` over its environment.
   */
  async load(
    replica = 0,
    changes: Settings = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<DaemonProcess> {
    const server = { server: { port: this.ports[replica] } };
    const settings = merged(merged(merged(this.settings(), this.options.settings ?? {}), changes), server);
    const file = join(this.directory, `replica-${String(replica)}.yaml`);
    await writeFile(file, stringify(settings), { mode: 0o600 });
    const daemon = await DaemonProcess.load(file, { ...this.env, ...env });
    this.ends.push(() => daemon.discard());
    return daemon;
  }

  /** A call of the program's own API as its admin. */
  async api(method: 'GET' | 'POST', path: string, body?: unknown): Promise<JsonAnswer> {
    return callJson(`${this.url}${path}`, this.adminToken, method, body);
  }

  /** Asks the daemon for a run; its id. */
  async requestRun({
    store = 'main',
    full = true,
  }: { store?: string; full?: boolean } = {}): Promise<string> {
    const { status, body } = await this.api('POST', `/api/v1/stores/${store}/syncs`, { full });
    if (status !== 202) throw new Error(`no run: ${status} ${JSON.stringify(body)}`);
    return z.object({ id: z.string() }).parse(body).id;
  }

  async showRun(id: string): Promise<Run> {
    const { status, body } = await this.api('GET', `/api/v1/syncs/${id}`);
    if (status !== 200) throw new Error(`run ${id} is not shown: ${status} ${JSON.stringify(body)}`);
    return runSchema.parse(body);
  }

  /** Asks the daemon for a run and waits for its end. */
  async runToEnd(request: { store?: string; full?: boolean } = {}): Promise<Run> {
    return this.endOf(await this.requestRun(request));
  }

  async endOf(id: string): Promise<Run> {
    return until(`the end of run ${id}`, async () => {
      const run = await this.showRun(id);
      return run.status === 'queued' || run.status === 'running' ? null : run;
    });
  }

  /** Waits until no task, delivery or write-back is open. */
  async settled(withinMs?: number): Promise<void> {
    await this.database.settled(withinMs);
  }

  async runsEnded(withinMs?: number): Promise<void> {
    await this.database.runsEnded(withinMs);
  }

  /** Rows of the program's own database. */
  async rows<T extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    return this.database.rows<T>(sql, values);
  }

  /** Every row of every table of the program, as text to compare. */
  async tableDump(): Promise<string> {
    return this.database.dump();
  }

  /** The dump of a command that writes nothing. Reading takes a slot of the workspace's shared rate, which is counted in its row. */
  async contentDump(): Promise<string> {
    return this.database.dump(['request_rate', 'next_request_at']);
  }

  catalogApi(method: string, path: string, body?: unknown): Promise<JsonAnswer> {
    return callCatalog(this.services, method, path, body);
  }

  catalogProducts(): Promise<CatalogEntry[]> {
    return catalogProducts(this.services);
  }

  catalogWrites(): readonly string[] {
    return catalogWrites(this.services);
  }

  /** Sends a signed delivery; `sign` changes what is signed and when. */
  async deliver(
    body: string | Buffer,
    options: {
      readonly headers?: Record<string, string>;
      readonly secret?: string;
      readonly ageSeconds?: number;
      readonly workspace?: string;
    } = {},
  ): Promise<number> {
    const raw = Buffer.from(body);
    const at = new Date(Date.now() - (options.ageSeconds ?? 0) * 1000);
    const headers = { ...signed(raw, options.secret ?? this.webhookSecret, at), ...options.headers };
    const answer = await fetch(`${this.url}/webhooks/catalog/${options.workspace ?? 'default'}`, {
      method: 'POST',
      headers,
      body: raw,
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  /**
   * Stops everything that runs, the daemons first, also where one does not stop. Throws the first failure, such as an internal error of a
   * store's sandbox.
   */
  async end(): Promise<void> {
    this.forget();
    const failures: unknown[] = [];
    for (const close of this.ends.splice(0).reverse())
      await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // a line for people
  }
}
