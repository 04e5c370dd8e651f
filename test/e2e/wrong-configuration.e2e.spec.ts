import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '../support/e2e-settings.js';
import { World } from '../support/e2e-world.js';
import { ownPort } from '../support/ports.js';
import { createTestDatabase } from '../support/postgres.js';
import { runLine, type CommandEnd } from '../support/run-command.js';

let world: World;
let deadPort: number;

beforeAll(async () => {
  world = await World.open();
  deadPort = await ownPort();
});
afterAll(() => world.end());

/** Runs a command in this process, with the world's configuration and `changes` over it. */
async function withSettings(
  command: string,
  changes: Settings,
  env: Record<string, string> = {},
): Promise<CommandEnd> {
  await world.configure(changes);
  return runLine(world, [command], env);
}

/** The daemon as the program itself, which has to end. */
async function started(changes: Settings): Promise<CommandEnd> {
  await world.configure(changes);
  return world.run(['start']);
}

function expectOneLine(end: CommandEnd, ...says: (string | RegExp)[]): void {
  expect(end.status).toBe(1);
  expect(end.stderr).toMatch(/^store-sync: [^\n]+\n$/);
  for (const text of says) expect(end.stderr).toMatch(text);
  for (const secret of Object.values(world.env).filter((value) => value !== world.configFile))
    expect(end.stderr + end.stdout).not.toContain(secret);
}

/** Listens on any free port of this machine. */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const main = (settings: Settings): Settings => ({ stores: { main: settings } });
const workspace = (settings: Settings): Settings => ({ workspaces: { default: settings } });

describe('a configuration that cannot be right ends the program at once, with key, file and what was expected', () => {
  it.each<[string, string, Settings, Record<string, string>, RegExp]>([
    ['an unknown key', 'start', { server: { prot: 80 } }, {}, /server\.prot.*unknown key/],
    [
      'an admin port that is the public one',
      'start',
      { server: { port: 4000, admin: { port: 4000 } } },
      {},
      /server\.admin\.port.*another port than server\.port/,
    ],
    ['a missing secret', 'check', {}, { CATALOG_API_TOKEN: '' }, /workspaces\.default\.auth/],
    [
      'an unknown kind of store',
      'check',
      { stores: { main: { kind: 'shopfiy' } } },
      {},
      /stores\.main\.kind: expected "shopify" or "woocommerce"/,
    ],
    [
      'a name that is no metafield',
      'check',
      { stores: { main: { mapping: { mpn: 'mpn' } } } },
      {},
      /stores\.main\.mapping\.mpn: expected namespace\.key of a metafield/,
    ],
  ])('%s', async (_name, command, changes, env, says) => {
    expectOneLine(await withSettings(command, changes, env), says, 'store-sync.yaml');
  });

  it('a file that is not there', async () => {
    const nowhere = `${world.directory}/nowhere.yaml`;
    expectOneLine(await runLine(world, ['check', '--config', nowhere]), 'nowhere.yaml');
  });
});

describe('secrets that can be guessed', () => {
  it.each([
    ['server.adminToken', { server: { adminToken: 'fifteen-letters' } }],
    ['server.tokens.ann.token', { server: { tokens: { ann: { token: 'store', role: 'viewer' } } } }],
  ])('start refuses %s under 16 characters, and check fails', async (key, changes) => {
    const says = `${key} has fewer than 16 characters`;
    expectOneLine(await withSettings('start', changes), says);
    const check = await withSettings('check', changes);
    expect(check.stdout).toMatch(new RegExp(`^FAIL +secrets: ${says}`, 'm'));
    expectOneLine(check, says);
  });

  it.each([
    ['workspaces.default.webhook.hmacSecret', workspace({ webhook: { hmacSecret: 'hook-secret' } })],
    ['stores.main.webhookSecret', main({ webhookSecret: 'change-me-before-use' })],
  ])('check fails on %s', async (key, changes) => {
    expectOneLine(await withSettings('check', changes), `secrets: ${key}`);
  });

  it('mask no word of the output that they happen to be', async () => {
    const { stdout, status } = await withSettings('check', main({ auth: { accessToken: 'store' } }));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^warn +secrets: stores\.main\.auth\.accessToken has fewer than 16 characters/m);
    expect(stdout).toContain('store main');
    expect(stdout).not.toContain('***');
  });
});

describe('the message names the place and what to do about', () => {
  it.each(['check', 'start'])('a database that cannot be reached: %s', async (command) => {
    const database = { url: `postgres://someone:pa55word@127.0.0.1:${deadPort}/nothing` };
    const end = command === 'start' ? await started({ database }) : await withSettings(command, { database });
    expectOneLine(end, 'database', `127.0.0.1:${deadPort}`);
    expect(end.stderr + end.stdout).not.toContain('pa55word');
  });

  it.each(['status', 'start'])(
    'a database without its tables, and with migrations off: %s',
    async (command) => {
      const empty = await createTestDatabase();
      const database = { url: empty.url, migrate: false };
      const end =
        command === 'start' ? await started({ database }) : await withSettings(command, { database });
      await empty.drop();
      expectOneLine(end, /1 migration is pending.*store-sync migrate/);
    },
  );

  it.each(['check', 'start'])('a Redis that refuses the password: %s', async (command) => {
    const refusing = createServer((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write('-WRONGPASS wrong password\r\n'));
    });
    const port = await listening(refusing);
    const queue = { redisUrl: `redis://:pa55word@127.0.0.1:${port}` };
    const end = command === 'start' ? await started({ queue }) : await withSettings(command, { queue });
    refusing.close();
    expectOneLine(end, 'queue.redisUrl', `127.0.0.1:${port}`, 'WRONGPASS');
    expect(end.stderr + end.stdout).not.toContain('pa55word');
    // The daemon's output is JSON lines, also where it does not start.
    if (command === 'start') for (const line of end.stdout.trim().split('\n')) JSON.parse(line);
  });

  it('a refused catalog login', async () => {
    const end = await withSettings('check', workspace({ auth: { apiToken: 'revoked-long-ago' } }));
    expectOneLine(end, 'workspace default: catalog login', '401');
    expect(end.stdout).toMatch(/^ok .*store main/m);
  });

  it('a catalog that nobody serves', async () => {
    const end = await withSettings('check', workspace({ baseUrl: `http://127.0.0.1:${deadPort}/api/v1` }));
    expectOneLine(end, 'workspace default', `127.0.0.1:${deadPort}`, /ECONNREFUSED/);
  });

  it('a store that nobody serves', async () => {
    const end = await withSettings('check', main({ endpoint: `http://127.0.0.1:${deadPort}` }));
    expectOneLine(end, 'store main', /ECONNREFUSED/);
  });

  it.each([
    ['server.port', (port: number): Settings => ({ port })],
    ['server.admin.port', (port: number): Settings => ({ admin: { port } })],
  ])('a port that somebody else has: %s', async (setting, settings) => {
    const other = createServer();
    const port = await listening(other);
    const end = await started({ server: settings(port) });
    other.close();
    expectOneLine(
      end,
      `${setting}: cannot listen on 127.0.0.1:${String(port)}: another program uses it; set `,
    );
    // No schedule or worker has started.
    expect(end.stdout + end.stderr).not.toContain('"stage"');
  });
});
