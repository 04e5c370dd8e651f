import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { MIGRATIONS } from '../../src/persistence/migrations/index.js';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import { contentWrites, edit, fill, now } from '../support/e2e-products.js';
import { Program, runProgram, type ProgramEnd } from '../support/e2e-program.js';
import { runSchema, until, World } from '../support/e2e-world.js';
import { runLine, type CommandEnd } from '../support/run-command.js';

const rows = z.object({
  items: z.array(z.looseObject({ id: z.string(), state: z.string(), externalId: z.string().nullable() })),
});

/** From the example configuration to a rotated secret, with nothing but the program's own commands; each step builds on the one before. */
describe('a day with store-sync', () => {
  let world: World;
  let products: SandboxProduct[];
  /** Write-backs of the products, in the same order. */
  let writeBacks: string[];
  let daemon: Program | undefined;
  /** The output of the daemons and commands, searched for secrets. */
  const said: string[] = [];
  let env: Record<string, string>;
  const secrets = (): string[] => [
    world.adminToken,
    world.webhookSecret,
    NEXT_SECRET,
    env['CATALOG_API_TOKEN'] ?? '',
    CLIENT.clientSecret,
    new URL(world.databaseUrl).password,
  ];

  beforeAll(async () => {
    // Not that of the embedded database: an operator's own server sorts texts as its language does.
    world = await World.open({ store: CLIENT, database: { collation: 'en-US' } });
    products = fill(world.store, 4);
    env = {
      ...world.env,
      DATABASE_URL: world.databaseUrl,
      PORT: String(world.port),
      SHOPIFY_CLIENT_ID: CLIENT.clientId,
      SHOPIFY_CLIENT_SECRET: CLIENT.clientSecret,
      LOG_LEVEL: 'debug',
    };
    await writeFile(world.configFile, await fromExample(world), { mode: 0o600 });
  });
  afterAll(async () => {
    await stopped();
    await world.end();
  });

  /** A command as a person starts it: a process of its own, whose log is searched for secrets too. */
  async function run(...args: string[]): Promise<ProgramEnd> {
    // Commands log to stderr, as on a person's terminal.
    const end = await runProgram(args, { cwd: world.directory, env: { ...env, LOG_LEVEL: '' } });
    said.push(end.stdout, end.stderr);
    return end;
  }

  /** A command that logs nothing, in this process. */
  async function here(...args: string[]): Promise<CommandEnd> {
    const end = await runLine(world, args, { ...env, LOG_LEVEL: '' });
    said.push(end.stdout, end.stderr);
    return end;
  }

  async function started(): Promise<void> {
    daemon = await Program.start(['start'], { cwd: world.directory, env });
    await daemon.said((line) => line.includes('store-sync is up'));
  }

  async function stopped(): Promise<void> {
    if (!daemon) return;
    daemon.signal('SIGTERM');
    const status = await daemon.exit();
    said.push(...daemon.lines, daemon.stderr);
    daemon = undefined;
    expect(status).toBe(0);
  }

  async function listed(...args: string[]): Promise<z.output<typeof rows>['items']> {
    const end = await here(...args, '--json');
    expect(end.status).toBe(0);
    return rows.parse(JSON.parse(end.stdout)).items;
  }

  function titleOf(place: number): { was: string; is: string } {
    const product = products[place];
    if (!product) throw new Error(`no product ${place}`);
    return { was: product.title, is: now(world.store, product).title };
  }

  it('begins with an empty database: check says that a migration is pending, and migrate applies it', async () => {
    const check = await run('check');
    expect(check).toMatchObject({ status: 0, stderr: '' });
    expect(check.stdout).toMatch(/^warn .*database: .*1 migrations? pending/m);
    expect(check.stdout).toMatch(/^warn .*webhook slot: .*empty/m);
    expect(await here('migrate')).toMatchObject({
      status: 0,
      stdout: `applied: ${String(MIGRATIONS.at(-1)?.name)}\n`,
    });
  });

  it('plans before it does anything, then syncs beside the daemon', async () => {
    const plan = await here('plan', '--store', 'main');
    expect(plan.status).toBe(2);
    expect(plan.stdout.match(/^\+ create .*new in the store$/gm)).toHaveLength(4);
    await started();
    const sync = await run('sync', '--store', 'main', '--json');
    expect(sync.status).toBe(0);
    expect(runSchema.parse(JSON.parse(sync.stdout))).toMatchObject({
      status: 'succeeded',
      counts: { seen: 4, created: 4, generationRequested: 4 },
    });
  });

  it('writes nothing before it is approved, and what is rejected never', async () => {
    await until('what waits for review', async () => {
      const waiting = await world.rows(`SELECT 1 FROM write_back WHERE state = 'pending_review'`);
      return waiting.length === 4 ? true : null;
    });
    expect(contentWrites(world.store)).toEqual([]);
    const waiting = await listed('write-backs', 'list', '--state', 'pending_review');
    writeBacks = products.map(
      ({ id }) => waiting.find(({ externalId }) => externalId?.endsWith(`:${String(id)}`))?.id ?? '',
    );
    const [first = '', second = '', third = ''] = writeBacks;
    expect(await run('write-backs', 'approve', first, second)).toMatchObject({ status: 0 });
    expect(await here('write-backs', 'reject', third)).toMatchObject({ status: 0 });
    for (const place of [0, 1]) expect(titleOf(place).is).not.toBe(titleOf(place).was);
    for (const place of [2, 3]) expect(titleOf(place).is).toBe(titleOf(place).was);
  });

  it('parks a delivery that it cannot read, and doubles nothing when deliveries are replayed', async () => {
    expect(await world.deliver('{"action": "product_gen')).toBe(200);
    const parked = await until('the parked delivery', async () => {
      const found = await world.rows<{ id: string }>(
        `SELECT id FROM webhook_delivery WHERE state = 'parked'`,
      );
      return found[0] ?? null;
    });
    const shown = await here('deliveries', 'show', parked.id);
    expect(shown.stdout).toContain('the body is not readable as JSON');
    const writes = contentWrites(world.store).length;
    const all = await listed('deliveries', 'list');
    expect(all).toHaveLength(5);
    expect(await run('deliveries', 'replay', ...all.map(({ id }) => id))).toMatchObject({ status: 0 });
    expect(await world.rows(`SELECT id FROM webhook_delivery WHERE state = 'parked'`)).toEqual([parked]);
    expect(contentWrites(world.store)).toHaveLength(writes);
  });

  it('shows what the merchant edited since, and undoes only what is still its own', async () => {
    const [edited] = products;
    if (!edited) throw new Error('no product');
    edit(world.store, edited, { title: 'The merchant’s own title' });
    const drift = await here('drift', '--store', 'main');
    expect(drift.status).toBe(2);
    expect(drift.stdout).toMatch(/edited +title: /);
    const [first = '', second = ''] = writeBacks;
    const reverted = await run('write-backs', 'revert', first, second);
    expect(reverted.status).toBe(0);
    expect(reverted.stdout).toMatch(/left alone: no longer ours/);
    expect(titleOf(0).is).toBe('The merchant’s own title');
    expect(titleOf(1).is).toBe(titleOf(1).was);
    const plan = await here('plan', '--store', 'main', '--full');
    expect(plan.status).toBe(2);
    expect(plan.stdout.match(/^. (create|update) /gm)).toEqual(['~ update ']);
  });

  it('rotates the webhook secret: both are taken while it lasts, then the new one alone', async () => {
    await stopped();
    const old = world.webhookSecret;
    env = { ...env, CATALOG_WEBHOOK_SECRET: NEXT_SECRET, CATALOG_WEBHOOK_SECRET_PREVIOUS: old };
    await started();
    await until('the slot with the new secret', async () => {
      const { body } = await world.catalogApi('GET', '/settings/webhooks/');
      return z.object({ hmac_secret: z.literal(NEXT_SECRET) }).safeParse(body).success ? true : null;
    });
    expect(await world.deliver('"old"', { secret: old })).toBe(200);
    expect(await world.deliver('"new"', { secret: NEXT_SECRET })).toBe(200);
    await stopped();
    env['CATALOG_WEBHOOK_SECRET_PREVIOUS'] = '';
    await started();
    expect(await world.deliver('"late"', { secret: old })).toBe(401);
    expect(await world.deliver('"later"', { secret: NEXT_SECRET })).toBe(200);
    await stopped();
  });

  it('has leaked no secret by the evening: neither in any line of output nor in any row', async () => {
    const status = await here('status');
    expect(status).toMatchObject({ status: 0 });
    expect(status.stdout).toContain('1 waits for review, 1 rejected, 2 reverted');
    const dump = await world.tableDump();
    expect(dump).toContain('webhook_delivery');
    const everything = `${said.join('\n')}\n${dump}`;
    for (const secret of secrets()) {
      expect(secret.length).toBeGreaterThan(8);
      expect(everything).not.toContain(secret);
    }
  });
});

const CLIENT = { clientId: 'client-of-the-day', clientSecret: 'shpss_of_the_day_0123456789' };
const NEXT_SECRET = 'hook-next-5f1c0a9d7e3b';

/** The example with the services' addresses in place of its own, as a person would fill it in. */
async function fromExample(world: World): Promise<string> {
  const example = await readFile('config/example.yaml', 'utf8');
  const filled = example
    .replace('https://sync.example.com', world.url)
    .replace('https://catalog.example.com/api/v1', world.catalog.baseUrl)
    // Runs start when they are asked for, and not by the store's events.
    .replace(/^ *webhookSecret: .*\n/m, '')
    .replace('shop: example.myshopify.com', `shop: ${world.store.shop}\n    endpoint: ${world.store.url}`);
  expect(/^[^#\n]*example\.(com|myshopify)/m.exec(filled)).toBeNull();
  return filled;
}
