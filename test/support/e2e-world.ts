import { createHmac, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { stringify } from 'yaml';
import { z } from 'zod';
import { removeEmbeddedPostgres } from '../../src/embedded-postgres/index.js';
import {
  startCatalogSandbox,
  type CatalogSandboxOptions,
  type RunningCatalogSandbox,
} from '../../src/sandbox/catalog/index.js';
import {
  startStoreSandbox,
  type RunningStoreSandbox,
  type StoreSandboxOptions,
} from '../../src/sandbox/store/index.js';
import { FaultProxy } from './fault-proxy.js';
import { Program, runProgram, type ProgramEnd } from './e2e-program.js';
import { freePort, merged, type Settings } from './e2e-settings.js';
import { createTestDatabase, embeddedUrl } from './postgres.js';
import { redisOfAWorld } from './redis.js';
import { noteProcess, runDirectory } from './run-directory.js';

export interface WorldOptions {
  /** `given` (default): a fresh database in the run's shared cluster; `embedded`: the program's own; or a URL. */
  readonly database?: 'given' | 'embedded' | { readonly url: string };
  readonly catalog?: Partial<CatalogSandboxOptions>;
  /** Keys of the configured stores; `main` alone by default. */
  readonly stores?: readonly string[];
  readonly store?: StoreSandboxOptions;
  /** A proxy that can fail stands between the program and the catalog. */
  readonly proxied?: boolean;
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
const LOOK_EVERY_MS = 100;

/** Catalog, store and database as real services, and the built program between them, wired by a configuration file. */
export class World {
  readonly adminToken = `admin-${randomBytes(12).toString('hex')}`;
  readonly webhookSecret = `hook-${randomBytes(12).toString('hex')}`;
  private readonly ends: (() => Promise<void>)[] = [];
  private pool: pg.Pool | undefined;
  private catalogToken = '';
  private readonly redisUrl = redisOfAWorld() ?? '';

  private constructor(
    readonly directory: string,
    readonly catalog: RunningCatalogSandbox,
    readonly stores: ReadonlyMap<string, RunningStoreSandbox>,
    readonly proxy: FaultProxy | null,
    readonly databaseUrl: string,
    /** Of the daemon, chosen before it starts: the webhook's address is part of the configuration. */
    readonly port: number,
  ) {}

  static async open(options: WorldOptions = {}): Promise<World> {
    const directory = await mkdtemp(join(runDirectory(), 'e2e-'));
    // As root, the embedded server runs as another user, who must reach its files below.
    await chmod(directory, 0o755);
    const { url: sandboxDatabase } = await createTestDatabase();
    const catalog = await startCatalogSandbox({
      databaseUrl: sandboxDatabase,
      generationDelayMs: 20,
      pollMs: 100,
      retryDelaysMs: [200, 1000],
      ...options.catalog,
    });
    const stores = new Map<string, RunningStoreSandbox>();
    for (const key of options.stores ?? ['main']) {
      stores.set(
        key,
        await startStoreSandbox({ throttle: false, shop: `${key}.myshopify.com`, ...options.store }),
      );
    }
    const proxy = options.proxied === true ? await FaultProxy.start(catalog.baseUrl) : null;
    const database = options.database ?? 'given';
    const databaseUrl =
      database === 'embedded'
        ? database
        : database === 'given'
          ? (await createTestDatabase()).url
          : database.url;
    const world = new World(directory, catalog, stores, proxy, databaseUrl, await freePort());
    world.ends.push(() => catalog.stop(), ...[...stores.values()].map((store) => () => store.stop()));
    if (proxy) world.ends.push(() => proxy.stop());
    if (database === 'embedded') world.ends.push(() => removeEmbeddedPostgres(world.dataDir));
    ({ token: world.catalogToken } = await catalog.issueApiToken('e2e'));
    await world.configure(options.settings ?? {});
    return world;
  }

  /** The first store. */
  get store(): RunningStoreSandbox {
    return this.storeOf('main');
  }

  storeOf(key: string): RunningStoreSandbox {
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

  get configFile(): string {
    return join(this.directory, 'store-sync.yaml');
  }

  get env(): Record<string, string> {
    return {
      STORE_SYNC_CONFIG: this.configFile,
      ADMIN_TOKEN: this.adminToken,
      CATALOG_API_TOKEN: this.catalogToken,
      CATALOG_WEBHOOK_SECRET: this.webhookSecret,
      SHOPIFY_ACCESS_TOKEN: 'shpat_sandbox',
    };
  }

  /** Writes the configuration file anew: the world's settings with `changes` over them. */
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
        // Nobody's night: runs are asked for.
        schedule: { cron: '0 0 29 2 *' },
      },
    ]);
    return {
      server: { host: '127.0.0.1', port: this.port, publicUrl: this.url, adminToken: '${ADMIN_TOKEN}' },
      database: { url: this.databaseUrl, dataDir: this.dataDir },
      queue: { redisUrl: this.redisUrl },
      workspaces: {
        default: {
          baseUrl: this.proxy?.url ?? this.catalog.baseUrl,
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

  /** `sync --json` of a store: its exit status and the run. */
  async sync(
    ...args: string[]
  ): Promise<{ readonly status: number | null; readonly run: Run; readonly stderr: string }> {
    const end = await this.run(['sync', '--store', 'main', '--json', ...args]);
    if (end.stdout === '') throw new Error(`sync printed nothing: ${end.stderr}`);
    return { status: end.status, run: runSchema.parse(JSON.parse(end.stdout)), stderr: end.stderr };
  }

  /** Starts the daemon and waits until it is up. `end` stops it. */
  async start(): Promise<Program> {
    const program = await Program.start(['start'], { cwd: this.directory, env: this.env });
    this.ends.push(async () => {
      if (!program.ended) program.signal('SIGTERM');
      await program.exit();
    });
    await program.said((line) => upSchema.safeParse(parsed(line)).success);
    if (this.databaseUrl === 'embedded') await this.noteServer();
    return program;
  }

  /** The embedded server outlives a daemon that is killed: should the test die too, the run's janitor ends it. */
  private async noteServer(): Promise<void> {
    const [pid = ''] = (await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
    await noteProcess(Number(pid), this.dataDir);
  }

  async api(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
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
    return runSchema.parse((await this.api('GET', `/api/v1/syncs/${id}`)).body);
  }

  /** Asks the daemon for a run and waits for its end. */
  async runToEnd(wish: { store?: string; full?: boolean } = {}): Promise<Run> {
    return this.endOf(await this.requestRun(wish));
  }

  async endOf(id: string): Promise<Run> {
    return until(`the end of run ${id}`, async () => {
      const run = await this.showRun(id);
      return run.status === 'queued' || run.status === 'running' ? null : run;
    });
  }

  /** Until no task, delivery or write-back is open any more. */
  async settled(): Promise<void> {
    await until('the end of tasks, deliveries and write-backs', async () => {
      const [row] = await this.rows<{ open: string }>(
        `SELECT (SELECT count(*) FROM generation_task WHERE state = 'requested')
           + (SELECT count(*) FROM webhook_delivery WHERE state = 'received')
           + (SELECT count(*) FROM write_back WHERE state = 'ready') AS open`,
      );
      return row?.open === '0' ? true : null;
    });
  }

  /** Rows of the program's own database. */
  async rows<T extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    if (this.pool === undefined) {
      this.pool = new pg.Pool({ connectionString: await this.reachableDatabase(), max: 2 });
      // A server that a test stops takes idle connections with it.
      this.pool.on('error', () => undefined);
      const { pool } = this;
      this.ends.push(() => pool.end());
    }
    return (await this.pool.query<T>(sql, [...values])).rows;
  }

  private async reachableDatabase(): Promise<string> {
    if (this.databaseUrl !== 'embedded') return this.databaseUrl;
    return await embeddedUrl(this.dataDir);
  }

  /** Every row of every table of ours, as text to compare. Empty before the first migration. */
  async tableDump(): Promise<string> {
    const tables = await this.rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    const dumps: string[] = [];
    for (const { name } of tables) {
      const rows = await this.rows<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t ORDER BY 1`);
      dumps.push(`${name}\n${rows.map(({ row }) => row).join('\n')}`);
    }
    return dumps.join('\n\n');
  }

  /** A call of the catalog's API with the program's own token. */
  async catalogApi(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.catalog.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.catalogToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }

  /** The catalog's parent and standalone products, oldest first. */
  async catalogProducts(): Promise<CatalogEntry[]> {
    const { body } = await this.catalogApi('GET', '/products/?page_size=500&sorting=asc');
    const page = pageSchema.parse(body);
    const products = [...page.results];
    for (let number = 2; products.length < page.count; number += 1) {
      const next = await this.catalogApi('GET', `/products/?page_size=500&sorting=asc&page=${number}`);
      products.push(...pageSchema.parse(next.body).results);
    }
    return products;
  }

  /** Requests to the catalog that may have changed something, as `METHOD /path`. */
  catalogWrites(): readonly string[] {
    return this.catalog
      .requests()
      .filter(
        ({ method, path }) => method !== 'GET' && !path.startsWith('/login') && !path.startsWith('/refresh'),
      )
      .map(({ method, path }) => `${method} ${path}`);
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
    const timestamp = String(Math.floor(Date.now() / 1000) - (options.ageSeconds ?? 0));
    const digest = createHmac('sha256', options.secret ?? this.webhookSecret)
      .update(`${timestamp}.`)
      .update(raw)
      .digest('hex');
    const answer = await fetch(`${this.url}/webhooks/catalog/${options.workspace ?? 'default'}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': `sha256=${digest}`,
        ...options.headers,
      },
      body: raw,
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  /** Stops whatever runs, the daemons first. Fails when the sandbox store met an error of its own. */
  async end(): Promise<void> {
    for (const close of this.ends.splice(0).reverse()) await close();
    const errors = [...this.stores.values()].flatMap((store) => store.ledger.internalErrors);
    if (errors.length > 0) throw new AggregateError(errors, 'the sandbox store failed by itself');
  }
}

const catalogEntrySchema = z.looseObject({
  id: z.number(),
  external_id: z.string().nullable(),
  sku: z.string().nullable(),
  barcode: z.string().nullable(),
  name: z.string().nullable(),
});
export type CatalogEntry = z.infer<typeof catalogEntrySchema>;
const pageSchema = z.object({ count: z.number(), results: z.array(catalogEntrySchema) });

/** Asks until the answer is not null; fails after `withinMs`. For what another process does and nobody announces. */
export async function until<T>(what: string, look: () => Promise<T | null>, withinMs = 300_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${withinMs} ms`);
    await sleep(LOOK_EVERY_MS);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // a line for people
  }
}
