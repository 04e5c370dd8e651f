import { once } from 'node:events';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/config/index.js';
import { Program } from '../../support/e2e-program.js';
import { ownPort } from '../../support/ports.js';
import { until, World } from '../../support/e2e-world.js';
import { runLine } from '../../support/run-command.js';

const PROGRAM = fileURLToPath(new URL('../../../bin/store-sync.js', import.meta.url));
const SANDBOX_STORE = fileURLToPath(
  new URL('../../../dist/cli/demo/sandbox-store-program.js', import.meta.url),
);

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.end());

/** Runs a command whose reader has ended before its first line. */
async function runUnread(args: readonly string[]): Promise<{ status: number | null; stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: world.directory,
    env: { PATH: process.env['PATH'], ...world.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stderr };
}

describe('the sandbox store', () => {
  it.each([
    ['an unknown kind', ['--kind', 'WooCommerce']],
    ['what is no port', ['--port', 'x']],
    ['a file that it cannot write', ['--port', '0', '--secret-file', '/nowhere/secret.txt']],
  ])('ends with one line for %s', (_what, args) => {
    const { status, stderr } = spawnSync(process.execPath, [SANDBOX_STORE, ...args], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect({ status, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 1, lines: 1 });
  });
});

describe('a reader that ends early', () => {
  it('does not disturb the help', async () => {
    expect(await runUnread(['--help'])).toEqual({ status: 0, stderr: '' });
  });
});

describe('status', () => {
  it('shows what the service said about a product on one line, without characters that act on the terminal', async () => {
    await runLine(world, ['migrate']);
    await world.rows(
      `INSERT INTO generation_task (external_id, store, workspace, catalog_id, state, next_poll_at, reason)
       VALUES ('shopify:shop:1', 'main', 'default', '1', 'failed', now(), E'no page\\x1b[2J\nstore main: all well')`,
    );
    const { stdout } = await runLine(world, ['status']);
    expect(stdout).toMatch(/^ {2}shopify:shop:1: failed: no page \[2J store main: all well$/m);
  });
});

describe('a store that is not configured', () => {
  it.each([['write-backs'], ['deliveries'], ['runs'], ['products', 'list']])(
    'is an error with a suggestion: %s',
    async (...args) => {
      const end = await runLine(world, [...args, '--store', 'mian']);
      expect(end.status).toBe(1);
      expect(end.stdout).toBe('');
      expect(end.stderr).toContain('no store "mian" is configured; did you mean main? (configured: main)');
    },
  );
});

describe('a working directory without a database', () => {
  it('gets a new one, whose path is named, unless there is one beside the configuration file', async () => {
    const elsewhere = await mkdtemp(join(world.directory, 'elsewhere-'));
    const dataDir = join(elsewhere, 'data');
    await world.configure({ database: { url: 'embedded', dataDir } });
    const first = await world.run(['runs']);
    expect(first.stderr).toContain(`made a new, empty database in ${dataDir} (database.dataDir)`);
    expect(first.status).toBe(0);
    // It says so once. A reader that ends early leaves no server running, as any other does.
    expect(await runUnread(['runs', '--json'])).toEqual({ status: 0, stderr: '' });
    expect(await readdir(join(dataDir, 'postgres'))).not.toContain('postmaster.pid');
    await world.configure({});

    const configFile = join(elsewhere, 'store-sync.yaml');
    await writeFile(configFile, 'database: { dataDir: ./data }');
    const cwd = await mkdtemp(join(world.directory, 'wrong-'));
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'runs', '--config', configFile], {
      cwd,
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      `store-sync: there is no database in ${join(cwd, 'data')}, but one in ${dataDir}: ` +
        'change the working directory, or set database.dataDir to an absolute path\n',
    ]);
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('the demo', () => {
  it('refuses an export of another shop system before it starts anything', async () => {
    const file = join(world.directory, 'woo.csv');
    await writeFile(file, 'ID,Type,SKU,Name,Published,Regular price\n1,simple,S,N,1,5\n');
    const end = await runLine(world, ['demo', '--products', file]);
    expect([end.status, end.stdout, end.stderr]).toEqual([
      1,
      '',
      'store-sync: woo.csv:1: is an export of WooCommerce; a product export of Shopify (CSV) was expected\n',
    ]);
  });

  it('refuses a PORT that is none before it starts anything', async () => {
    const end = await runLine(world, ['demo'], { PORT: 'http' });
    expect([end.status, end.stderr.split('\n').at(-2)]).toEqual([
      1,
      'store-sync: PORT must be a number from 1 to 65535',
    ]);
  });

  it('stays up under --keep on PORT, with a configuration for further commands, until it is stopped', async () => {
    const directory = await mkdtemp(join(world.directory, 'keep-'));
    const port = String(await ownPort());
    const file = join(directory, 'two.csv');
    await writeFile(file, "Handle,Title,Variant SKU\na,A hat,'001\nb,A scarf,'002\n");
    const env = { PORT: port, TMPDIR: directory };
    const demo = await Program.start(['demo', '--keep', '--products', file], { cwd: directory, env });
    try {
      const hint = await demo.said('Try commands on it:');
      const config = hint.split(' ').at(-1) ?? '';
      expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
      const tried = await runLine(world, ['products', 'list', '--config', config, '--json']);
      expect([tried.status, JSON.parse(tried.stdout)]).toEqual([0, expect.objectContaining({ total: 2 })]);
      const sku = await runLine(world, ['products', 'show', '001', '--config', config]);
      expect([sku.status, sku.stdout]).toEqual([0, expect.stringContaining('A hat')]);
      // An export of a real shop has thousands of products, and one run takes them all.
      const { workspaces } = loadConfig({ configFile: config, env: {} }).config;
      expect(workspaces['default']?.generation.maxPerRun).toBeGreaterThanOrEqual(100_000);
      expect(demo.lines).toContain(
        'first sync succeeded: 2 seen, 2 created, 0 updated, 0 unchanged, 0 failed, 2 generations requested',
      );
      expect(demo.stderr).toMatch(/writing generated content to the store \d\/2/);
    } finally {
      demo.signal('SIGTERM');
    }
    expect(await demo.exit()).toBe(0);
    expect((await readdir(directory)).filter((name) => name.startsWith('store-sync-demo-'))).toEqual([]);
  });

  it('stops its database and removes its files when SIGTERM ends it early', async () => {
    const directory = await mkdtemp(join(world.directory, 'demo-'));
    const demo = await Program.start(['demo'], { cwd: directory, env: { TMPDIR: directory } });
    await until('the first sync', () => demo.stderr.includes('first sync'));
    demo.signal('SIGTERM');
    const status = await demo.exit();
    // A line of the log may follow: a job that was being enqueued is given up after two seconds.
    const said = demo.stderr.split('\n').filter((line) => line.startsWith('store-sync: '));
    expect([status, said]).toEqual([
      1,
      ['store-sync: the demo was interrupted; everything it started is stopped'],
    ]);
    const left = await readdir(directory);
    expect(left.filter((name) => name.startsWith('store-sync-demo-'))).toEqual([]);
  });
});
