import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { stringify } from 'yaml';
import { createTestDatabase } from '../support/postgres.js';
import { ownPort } from '../support/ports.js';
import { noteProcess, runDirectory } from '../support/run-directory.js';
import { REQUESTS_PER_SECOND } from './sides.js';

const BIN = fileURLToPath(new URL('../../bin/store-sync.js', import.meta.url));

/** The row of a run has its duration. Polling more often would slow the daemon that is measured. */
const ASKED_EVERY_MS = 250;

export interface BenchStore {
  readonly shop: string;
  readonly url: string;
  readonly accessToken?: string;
}

export interface WorldOptions {
  readonly catalogUrl: string;
  readonly requestsPerSecond?: number;
  /** The settings of a store of another kind stand as they are. */
  readonly stores: Readonly<Record<string, BenchStore | { readonly kind: string }>>;
}

/** A database and the configuration of daemons on it, which run the program as it is built. */
export class BenchWorld {
  readonly webhookSecret = randomBytes(16).toString('hex');
  readonly adminToken = randomBytes(16).toString('hex');

  private constructor(
    readonly databaseUrl: string,
    readonly db: pg.Pool,
    private readonly options: WorldOptions,
  ) {}

  static async open(options: WorldOptions): Promise<BenchWorld> {
    const { url } = await createTestDatabase();
    const db = new pg.Pool({ connectionString: url, max: 4 });
    db.on('error', () => undefined); // the server goes with the run
    // Commits are synchronous, as in production. The test server only skips the flush to disk.
    await db.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = on`);
    const world = new BenchWorld(url, db, options);
    await world.command('migrate');
    return world;
  }

  private async configFile(port: number): Promise<string> {
    const { catalogUrl, stores, requestsPerSecond = REQUESTS_PER_SECOND } = this.options;
    const file = join(runDirectory(), `bench-${randomBytes(4).toString('hex')}.yaml`);
    const text = stringify({
      server: { host: '127.0.0.1', port, adminToken: this.adminToken },
      database: { url: this.databaseUrl },
      workspaces: {
        default: {
          baseUrl: catalogUrl,
          auth: { apiToken: 'bench' },
          requestsPerSecond,
          webhook: { hmacSecret: this.webhookSecret, register: false },
          generation: { mode: 'off' },
        },
      },
      stores: Object.fromEntries(
        Object.entries(stores).map(([key, store]) => [
          key,
          { workspace: 'default', schedule: { cron: '0 0 1 1 *' }, ...settingsOf(store) },
        ]),
      ),
    });
    await writeFile(file, text, { mode: 0o600 });
    return file;
  }

  /** Runs a command to its end; answers with its output and the most memory that it took. */
  async command(
    ...args: string[]
  ): Promise<{ stdout: string; stderr: string; status: number | null; peakBytes: number }> {
    return this.bare(...args, '--config', await this.configFile(0));
  }

  /** As `command`, without the configuration. */
  async bare(
    ...args: string[]
  ): Promise<{ stdout: string; stderr: string; status: number | null; peakBytes: number }> {
    const child = program(args);
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-2000)));
    let peakBytes = 0;
    const watch = setInterval(() => {
      void peakOf(child.pid).then((bytes) => (peakBytes = Math.max(peakBytes, bytes)));
    }, 100);
    const [status] = (await once(child, 'close')) as [number | null];
    clearInterval(watch);
    return { stdout, stderr, status, peakBytes };
  }

  /** A daemon of all roles. */
  async start(): Promise<BenchDaemon> {
    const port = await ownPort();
    const child = program(['start', '--config', await this.configFile(port)]);
    const daemon = new BenchDaemon(child, `http://127.0.0.1:${String(port)}`, this.adminToken);
    await noteProcess(child.pid ?? 0, BIN);
    await daemon.ready();
    return daemon;
  }

  async close(): Promise<void> {
    await this.db.end();
  }
}

function settingsOf(store: WorldOptions['stores'][string]): object {
  if ('kind' in store) return store;
  const { shop, url, accessToken = shop } = store;
  return { shop, endpoint: url, auth: { accessToken } };
}

/** The memory that compose.yaml and the chart give a container. Node sizes its heap by it. */
const CONTAINER_BYTES = 512 * 1024 * 1024;

/** The program as in a container: with its limit of memory, where this machine lets a process be limited (control groups, as root). */
function program(args: readonly string[]): ChildProcess {
  const group = containerGroup();
  const command = [process.execPath, BIN, ...args];
  const [file, ...rest] =
    group === null ? command : ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group, ...command];
  return spawn(file ?? process.execPath, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

let groups = 0;

/** A new control group with the limit; null where none can be made. */
function containerGroup(): string | null {
  const [root, limit] = existsSync('/sys/fs/cgroup/memory')
    ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
    : ['/sys/fs/cgroup', 'memory.max'];
  const group = `${root}/store-sync-bench-${String(process.pid)}-${String((groups += 1))}`;
  try {
    mkdirSync(group);
    process.on('exit', () => rmdirSync(group));
    writeFileSync(`${group}/${limit}`, String(CONTAINER_BYTES));
    return group;
  } catch {
    return null;
  }
}

/** Most resident memory of a process so far, in bytes; 0 once it is gone. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly counts: Record<string, number>;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly error: string | null;
}

export class BenchDaemon {
  private errors = '';

  constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly adminToken: string,
  ) {
    child.stdout?.resume();
    child.stderr?.on(
      'data',
      (chunk: Buffer) => (this.errors = (this.errors + chunk.toString()).slice(-4_000)),
    );
  }

  async ready(): Promise<void> {
    for (;;) {
      if (this.child.exitCode !== null)
        throw new Error(`the daemon ended before it was ready: ${this.errors}`);
      const answer = await fetch(`${this.url}/health/ready`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok === true) return;
      await sleep(50);
    }
  }

  peakBytes(): Promise<number> {
    return peakOf(this.child.pid);
  }

  /** A full run to its end; `seconds` as its row says. Fails unless it succeeded. */
  async fullRun(store: string): Promise<{ seconds: number; run: Run }> {
    const headers = { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' };
    const asked = await fetch(`${this.url}/api/v1/stores/${store}/syncs`, {
      method: 'POST',
      headers,
      body: '{"full":true}',
    });
    const { id } = (await asked.json()) as { id: string };
    for (;;) {
      const answer = await fetch(`${this.url}/api/v1/syncs/${id}`, { headers });
      const run = (await answer.json()) as Run;
      if (run.status === 'succeeded')
        return { seconds: (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000, run };
      if (run.status !== 'queued' && run.status !== 'running')
        throw new Error(`the run is ${run.status}: ${run.error ?? JSON.stringify(run)}`);
      await sleep(ASKED_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'close');
  }
}
