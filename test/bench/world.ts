import { readFile } from 'node:fs/promises';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Program, runProgram, type ProgramEnd } from '../support/e2e-program.js';
import { World, type Run } from '../support/e2e-world.js';
import { createTestDatabase } from '../support/postgres.js';
import { REQUESTS_PER_SECOND } from './sides.js';

/** The row of a run has its duration. Polling more often would slow the daemon that is measured. */
const ASKED_EVERY_MS = 250;

export interface BenchStore {
  readonly shop: string;
  readonly url: string;
  readonly accessToken?: string;
}

export interface WorldOptions {
  readonly catalogUrl: string;
  readonly stores: Readonly<Record<string, BenchStore>>;
}

/** A world between the two sides of a bench, whose program is the built one with the memory of its container. */
export class BenchWorld {
  private constructor(
    private readonly world: World,
    readonly db: pg.Pool,
  ) {}

  static async open({ catalogUrl, stores }: WorldOptions): Promise<BenchWorld> {
    const { url } = await createTestDatabase();
    const db = new pg.Pool({ connectionString: url, max: 4 });
    db.on('error', () => undefined); // the server goes with the run
    // Commits are synchronous, as in production. The test server only skips the flush to disk.
    await db.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = on`);
    const workspace = {
      ...{ baseUrl: catalogUrl, requestsPerSecond: REQUESTS_PER_SECOND, webhook: { register: false } },
      ...{ generation: { mode: 'off' }, tasks: undefined },
    };
    const world = new BenchWorld(
      await World.open({
        ...{ database: { url }, catalog: false, stores: [] },
        settings: {
          workspaces: { default: workspace },
          stores: Object.fromEntries(Object.entries(stores).map(([key, store]) => [key, settingsOf(store)])),
        },
      }),
      db,
    );
    await world.command('migrate');
    return world;
  }

  get webhookSecret(): string {
    return this.world.webhookSecret;
  }

  /** Runs a command to its end; answers with its output and the most memory that it took. */
  async command(...args: string[]): Promise<ProgramEnd & { readonly peakBytes: number }> {
    let peakBytes = 0;
    let watch: NodeJS.Timeout | undefined;
    const end = await runProgram(args, this.#inContainer(), ({ process: { pid } }) => {
      watch = setInterval(() => {
        void peakOf(pid).then((bytes) => (peakBytes = Math.max(peakBytes, bytes)));
      }, 100);
    });
    clearInterval(watch);
    return { ...end, peakBytes };
  }

  /** A daemon of all roles, unless `env` names its roles. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<BenchDaemon> {
    const container = this.#inContainer();
    const program = await Program.start(['start'], { ...container, env: { ...container.env, ...env } });
    await program.line((line) => line.includes('store-sync is up'));
    return new BenchDaemon(program, this.world);
  }

  /** Full runs of the schedule, due now. */
  async due(stores: readonly string[]): Promise<void> {
    await this.db.query(
      `INSERT INTO sync_run (store, workspace, kind, trigger) SELECT unnest($1::text[]), 'default', 'full', 'schedule'`,
      [stores],
    );
  }

  /** Waits for the end of every run. Answers with the seconds from due to ended, by store. Fails unless each succeeded. */
  async allEnded(): Promise<ReadonlyMap<string, number>> {
    for (;;) {
      const { rows } = await this.db.query<{ store: string; state: string; error: string; seconds: number }>(
        `SELECT store, state, coalesce(error, '') AS error, extract(epoch FROM finished_at - created_at)::float8 AS seconds FROM sync_run`,
      );
      const bad = rows.find(({ state }) => state === 'failed' || state === 'partial');
      if (bad !== undefined) throw new Error(`the run of ${bad.store} is ${bad.state}: ${bad.error}`);
      if (rows.every(({ state }) => state === 'succeeded'))
        return new Map(rows.map(({ store, seconds }) => [store, seconds]));
      await sleep(ASKED_EVERY_MS);
    }
  }

  #inContainer() {
    const { directory: cwd, env } = this.world;
    return { cwd, env: { ...env, NODE_ENV: 'production' }, launcher: launcher() };
  }

  async close(): Promise<void> {
    await this.world.end();
    await this.db.end();
  }
}

function settingsOf({ shop, url, accessToken = shop }: BenchStore): object {
  return {
    workspace: 'default',
    schedule: { cron: '0 0 1 1 *' },
    shop,
    endpoint: url,
    auth: { accessToken },
  };
}

/** The memory that compose.yaml and the chart give a container. Node sizes its heap by it. */
const CONTAINER_BYTES = 512 * 1024 * 1024;

let groups = 0;

/** What starts a program with the memory of a container, where this machine lets a process be limited (control groups, as root). */
function launcher(): readonly string[] {
  const [root, limit] = existsSync('/sys/fs/cgroup/memory')
    ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
    : ['/sys/fs/cgroup', 'memory.max'];
  const group = `${root}/store-sync-bench-${String(process.pid)}-${String((groups += 1))}`;
  try {
    mkdirSync(group);
    process.on('exit', () => rmdirSync(group));
    writeFileSync(`${group}/${limit}`, String(CONTAINER_BYTES));
    return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];
  } catch {
    return [];
  }
}

/** Most resident memory of a process so far, in bytes; 0 once it is gone. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

export class BenchDaemon {
  constructor(
    private readonly program: Program,
    private readonly world: World,
  ) {}

  get url(): string {
    return this.world.url;
  }

  peakBytes(): Promise<number> {
    return peakOf(this.program.process.pid);
  }

  /** A full run to its end; `seconds` as its row says. Fails unless it succeeded. */
  async fullRun(store: string): Promise<{ readonly seconds: number; readonly run: Run }> {
    const id = await this.world.requestRun({ store });
    for (;;) {
      const run = await this.world.showRun(id);
      const { status, startedAt, finishedAt } = run;
      if (status === 'succeeded')
        return { seconds: (Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')) / 1000, run };
      if (status !== 'queued' && status !== 'running')
        throw new Error(`the run is ${status}: ${run.error ?? JSON.stringify(run)}`);
      await sleep(ASKED_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    if (!this.program.ended) this.program.signal('SIGTERM');
    await this.program.exit();
  }
}
