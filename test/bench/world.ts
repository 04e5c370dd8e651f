import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { stringify } from 'yaml';
import { Visitor } from '../e2e/dashboard/dashboard-world.js';
import { createTestDatabase } from '../support/postgres.js';
import { ownPort } from '../support/ports.js';
import { noteProcess, runDirectory } from '../support/run-directory.js';

const BIN = fileURLToPath(new URL('../../bin/store-sync.js', import.meta.url));

/** The row of a run has its duration. Polling more often would slow the daemon that is measured. */
const ASKED_EVERY_MS = 250;

export interface BenchStore {
  readonly shop: string;
  readonly url: string;
  readonly accessToken?: string;
  readonly writeBack?: object;
  readonly mapping?: object;
}

export interface WorldOptions {
  readonly catalogUrl: string;
  readonly stores: Readonly<Record<string, BenchStore>>;
  readonly redisUrl?: string;
  readonly workspace?: object;
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
    const { catalogUrl, stores, redisUrl, workspace } = this.options;
    const file = join(runDirectory(), `bench-${randomBytes(4).toString('hex')}.yaml`);
    const text = stringify({
      server: { host: '127.0.0.1', port, adminToken: this.adminToken },
      database: { url: this.databaseUrl },
      queue: { redisUrl: redisUrl ?? '' },
      workspaces: {
        default: {
          baseUrl: catalogUrl,
          auth: { apiToken: 'bench' },
          requestsPerSecond: 2_000,
          webhook: { hmacSecret: this.webhookSecret, register: false },
          generation: { mode: 'off' },
          ...workspace,
        },
      },
      stores: Object.fromEntries(
        Object.entries(stores).map(([key, { shop, url, accessToken, writeBack, mapping }]) => [
          key,
          {
            workspace: 'default',
            shop,
            endpoint: url,
            auth: { accessToken: accessToken ?? shop },
            schedule: { cron: '0 0 1 1 *' },
            ...(writeBack && { writeBack }),
            ...(mapping && { mapping }),
          },
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
    const file = await this.configFile(0);
    const child = program([...args, '--config', file]);
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

  /** A daemon of all roles, or of these, separated by commas. `environment`: variables that it has beside those of this process. */
  async start(roles?: string, environment: Readonly<Record<string, string>> = {}): Promise<BenchDaemon> {
    const port = await ownPort();
    const chosen = roles === undefined ? [] : ['--roles', roles];
    const child = program(['start', ...chosen, '--config', await this.configFile(port)], environment);
    const daemon = new BenchDaemon(child, `http://127.0.0.1:${String(port)}`, this.adminToken);
    await noteProcess(child.pid ?? 0, BIN);
    await daemon.ready();
    return daemon;
  }

  async close(): Promise<void> {
    await this.db.end();
  }
}

function program(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production', ...environment },
  });
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

  /** Processor time of the daemon so far. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${String(this.child.pid)}/stat`, 'utf8');
    // After the name in parentheses: fields 14 and 15, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Milliseconds until the answer of a GET by the admin. */
  async answerMs(path: string): Promise<number> {
    const began = performance.now();
    const answer = await fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${this.adminToken}` },
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path} answered ${String(answer.status)}`);
    return performance.now() - began;
  }

  /** Milliseconds until the answer of a dashboard page, for a person who has signed in. */
  async pageMs(path: string): Promise<number> {
    const visitor = new Visitor(this.url);
    await visitor.signIn(this.adminToken);
    const began = performance.now();
    const { status } = await visitor.get(path);
    if (status !== 200) throw new Error(`${path} answered ${String(status)}`);
    return performance.now() - began;
  }

  /** A full run to its end; `seconds` as its row says. Fails unless it succeeded. */
  async fullRun(
    store: string,
    { mayOwe = false }: { readonly mayOwe?: boolean } = {},
  ): Promise<{ seconds: number; run: Run }> {
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
      // A run beside write-backs leaves the products that are being written to the next one.
      const isOwed = run.status === 'partial' && run.error === null && run.counts['failed'] === 0;
      if (run.status === 'succeeded' || (mayOwe && isOwed))
        return { seconds: (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000, run };
      if (run.status !== 'queued' && run.status !== 'running')
        throw new Error(`the run is ${run.status}: ${run.error ?? JSON.stringify(run)}`);
      await sleep(ASKED_EVERY_MS);
    }
  }

  /** A full run that became due by the schedule, to its end. Fails unless it succeeded. */
  async dueRun(db: pg.Pool, store: string): ReturnType<BenchDaemon['fullRun']> {
    await db.query(
      `INSERT INTO sync_run (store, workspace, kind, trigger) VALUES ($1, 'default', 'full', 'schedule')`,
      [store],
    );
    // The request joins the run, and wakes a worker.
    return this.fullRun(store);
  }

  /** A full run of the schedule to its end, which may use a listing that another run has read. Fails unless it succeeded. */
  async scheduledRun(db: pg.Pool, store: string): Promise<{ seconds: number }> {
    const { rows: made } = await db.query<{ id: string }>(
      `INSERT INTO sync_run (store, workspace, kind, trigger) VALUES ($1, 'default', 'full', 'schedule') RETURNING id`,
      [store],
    );
    for (;;) {
      const { rows } = await db.query<{ state: string; seconds: number; error: string | null }>(
        `SELECT state, extract(epoch FROM finished_at - started_at)::float8 AS seconds, error FROM sync_run WHERE id = $1`,
        [made[0]?.id],
      );
      const [run] = rows;
      if (run?.state === 'succeeded') return run;
      if (run?.state !== 'queued' && run?.state !== 'running')
        throw new Error(`the run is ${run?.state ?? 'gone'}: ${run?.error ?? ''}`);
      await sleep(ASKED_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'close');
  }
}
