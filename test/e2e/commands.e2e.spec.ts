import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STORE_TOKEN } from '../support/world/services.js';
import { z } from 'zod';
import { contentWrites, edit, fill, single, storeDump } from '../support/e2e-products.js';
import { runSchema, World } from '../support/e2e-world.js';
import { createTestDatabase } from '../support/postgres.js';
import { runLine } from '../support/run-command.js';

const SETTINGS = { workspaces: { default: { generation: { mode: 'off' } } } };

let world: World;
/** Besides `main`, a store for each test that counts the products of a run. */
beforeAll(async () => {
  world = await World.open({ settings: SETTINGS, stores: ['main', 'planned', 'synced', 'edited'] });
});
afterAll(() => world.end());

describe('commands', () => {
  it('check says that a migration is pending; migrate creates the tables, and the second time does nothing', async () => {
    const empty = await createTestDatabase();
    await world.configure({ ...SETTINGS, database: { url: empty.url } });
    const check = await runLine(world, ['check']);
    expect([check.status, check.stdout]).toEqual([0, expect.stringMatching(/^warn .*1 migration pending/m)]);
    expect(await runLine(world, ['migrate'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^applied: /),
    });
    expect(await runLine(world, ['migrate'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: 'no migrations are pending\n',
    });
    await world.configure(SETTINGS);
    await empty.drop();
  });

  it('plan names each product with its reason, exits with 2 and writes nothing anywhere', async () => {
    fill(world.storeOf('planned'), 6, { singleEvery: 2, prefix: 'planned-' });
    // The first request of any process makes the workspace's row, which counts the requests of all.
    await world.rows(`INSERT INTO workspace_state (workspace) VALUES ('default') ON CONFLICT DO NOTHING`);
    const before = await everything();
    const plain = await runLine(world, ['plan', '--store', 'planned']);
    const json = await runLine(world, ['plan', '--store', 'planned', '--json']);
    expect(plain.status).toBe(2);
    expect(plain.stderr).not.toContain('store-sync:');
    expect(plain.stdout.match(/^\+ create .*new in the store$/gm)).toHaveLength(6);
    expect(json.status).toBe(2);
    expect(planSchema.parse(JSON.parse(json.stdout)).actions).toHaveLength(6);
    expect(await everything()).toEqual(before);
  });

  it('sync exits with 0 when everything went well, and then plan with 0', async () => {
    fill(world.storeOf('synced'), 6, { singleEvery: 2, prefix: 'synced-' });
    const { status, stderr, stdout } = await runLine(world, ['sync', '--store', 'synced', '--json']);
    expect(status).toBe(0);
    // Progress goes there; an error would name the program.
    expect(stderr).not.toContain('store-sync:');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'succeeded',
      counts: { seen: 6, created: 6, failed: 0 },
    });
    const again = await runLine(world, ['plan', '--store', 'synced', '--full']);
    expect(again.status).toBe(0);
  });

  it('plan says which fields of an edited product would change', async () => {
    const store = world.storeOf('edited');
    const [product] = fill(store, 6, { singleEvery: 2, prefix: 'edited-' });
    if (!product) throw new Error('no product');
    expect((await runLine(world, ['sync', '--store', 'edited'])).status).toBe(0);
    edit(store, product, { title: 'Another title' });
    const before = await everything();
    const { status, stdout } = await runLine(world, ['plan', '--store', 'edited', '--json']);
    expect(status).toBe(2);
    expect(planSchema.parse(JSON.parse(stdout)).actions).toMatchObject([
      { kind: 'update', fields: ['name'] },
    ]);
    expect(await everything()).toEqual(before);
  });

  it('sync exits with 3 when a product failed, and says which and why', async () => {
    const refused = single(world.store, 'too-long', { sku: 'S'.repeat(300) });
    const { status, stdout } = await world.run(['sync', '--store', 'main']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/partial: .*1 failed/);
    expect(stdout).toMatch(new RegExp(`failed +shopify:\\S+:${refused.id} .*sku`));
    world.store.products.delete(refused.id);
  });

  it('status shows the store, its last runs and the backlog, and --json one document', async () => {
    expect((await runLine(world, ['sync', '--store', 'main', '--full'])).status).toBe(0);
    const plain = await runLine(world, ['status']);
    const json = await runLine(world, ['status', '--json']);
    expect(plain).toMatchObject({ status: 0, stderr: '' });
    expect(plain.stdout).toContain(`store main (${world.store.shop})`);
    expect(plain.stdout).toMatch(/run \S+ full succeeded/);
    expect(plain.stdout).toMatch(/^backlog: /m);
    expect(json).toMatchObject({ status: 0, stderr: '' });
    expect(statusSchema.parse(JSON.parse(json.stdout)).stores[0].lastRuns.length).toBeGreaterThan(0);
  });

  it('none of them says a secret', async () => {
    const ends = [await runLine(world, ['status', '--json']), await runLine(world, ['check'])];
    const said = ends.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    for (const secret of [
      world.adminToken,
      world.webhookSecret,
      STORE_TOKEN,
      world.env['CATALOG_API_TOKEN'] ?? '?',
    ])
      expect(said).not.toContain(secret);
  });
});

const slotOf = async (method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<unknown> =>
  (await world.catalogApi(method, '/settings/webhooks/', body)).body;

describe('check', () => {
  it('warns of an empty webhook slot, finds nothing else, and registers nothing', async () => {
    await slotOf('DELETE');
    world.catalog.resetRequests();
    const { status, stdout, stderr } = await runLine(world, ['check']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^warn .*webhook slot.*empty/m);
    expect(stdout).not.toMatch(/^FAIL/m);
    expect(stdout).toMatch(/^ok .*store main/m);
    expect(world.catalogWrites()).toEqual([]);
    expect(contentWrites(world.store)).toEqual([]);
    expect(world.store.webhookSubscriptions()).toEqual([]);
  });

  it('warns of somebody else’s URL in the webhook slot, and leaves it there', async () => {
    const foreign = { url: 'https://other.example.com/hook', hmac_secret: 'theirs' };
    await slotOf('POST', foreign);
    const { status, stdout } = await runLine(world, ['check']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^warn .*other\.example\.com/m);
    expect(await slotOf('GET')).toMatchObject({ url: foreign.url });
  });

  it('fails, and checks the rest, where the installed stores cannot be read', async () => {
    await world.rows('ALTER TABLE store_installation RENAME TO elsewhere');
    const { status, stdout } = await runLine(world, ['check']);
    await world.rows('ALTER TABLE elsewhere RENAME TO store_installation');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}installed stores: .*store_installation/m);
    expect(stdout).toMatch(/^ok .*store main/m);
  });
});

describe('webhook', () => {
  const FOREIGN = 'https://somebody.example.com/hook';

  it.each(['register', 'remove'])('%s changes somebody else’s slot with --force alone', async (action) => {
    await slotOf('POST', { url: FOREIGN });
    const refused = await runLine(world, ['webhook', action]);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^store-sync: workspace default: the webhook slot holds .*somebody.*; --force .* it\n$/,
      ),
    ]);
    expect(await slotOf('GET')).toMatchObject({ url: FOREIGN });
    expect(await runLine(world, ['webhook', action, '--force'])).toMatchObject({ status: 0, stderr: '' });
  });

  it('shows whose the slot is, and never the secret', async () => {
    await slotOf('DELETE');
    const free = await runLine(world, ['webhook']);
    expect(free.stdout).toBe('workspace default: free: the webhook slot is empty\n');
    expect((await runLine(world, ['webhook', 'register'])).status).toBe(0);
    expect(await slotOf('GET')).toMatchObject({ url: `${world.url}/webhooks/catalog/default` });
    const { stdout } = await runLine(world, ['webhook', 'show', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ workspace: 'default', state: 'ours' }] });
    expect(stdout).not.toContain(world.webhookSecret);
  });
});

describe('the command line', () => {
  it('answers --help of every command that it names with 0, on stdout', async () => {
    const overview = await runLine(world, ['--help']);
    expect(overview).toMatchObject({ status: 0, stderr: '' });
    const named = [...overview.stdout.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name);
    expect(named).toEqual(
      expect.arrayContaining(['start', 'demo', 'check', 'plan', 'sync', 'status', 'migrate']),
    );
    for (const command of named.filter((name) => name !== 'help')) {
      const end = await runLine(world, [command, '--help']);
      expect(end).toMatchObject({ status: 0, stderr: '' });
      expect(end.stdout).toContain(`Usage: store-sync ${command}`);
    }
  });

  it.each([
    [['frobnicate'], /unknown command.*frobnicate/],
    [['plan', '--frobnicate', '--store', 'main'], /unknown option.*--frobnicate/],
    [['sync', '--store'], /--store/],
  ])('refuses %j with 1 and says on stderr what is wrong', async (args, message) => {
    const { status, stdout, stderr } = await runLine(world, args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('ends a sync whose catalog refuses the token with 1, and says why in its last line on stderr', async () => {
    single(world.store, 'not-sent-yet');
    const { status, stderr } = await runLine(world, ['sync', '--store', 'main'], {
      CATALOG_API_TOKEN: 'revoked',
    });
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^store-sync: .*401/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('retry', () => {
  it('exits with 0 for a store that grants what is needed', async () => {
    const end = await runLine(world, ['retry', '--store', 'main']);
    expect(end).toMatchObject({ status: 0, stdout: expect.stringContaining('store main works') });
  });

  it('exits with 1 for a store that still refuses, and status shows the pause', async () => {
    const revoked = { SHOPIFY_ACCESS_TOKEN: 'revoked' };
    expect((await runLine(world, ['sync', '--store', 'main'], revoked)).status).toBe(1);
    const end = await runLine(world, ['retry', '--store', 'main', '--json'], revoked);
    expect(end).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^store-sync: store main is still refused: /m),
    });
    expect(JSON.parse(end.stdout)).toMatchObject({
      health: { state: 'paused', code: 'credentials_refused', scope: 'everything' },
      woken: { writeBacks: 0, runs: 0 },
    });
    expect((await runLine(world, ['status'])).stdout).toContain('PAUSED (everything) since');
    expect(JSON.parse((await runLine(world, ['status', '--json'])).stdout)).toMatchObject({
      stores: [{ health: { state: 'paused', nextTry: expect.any(String) } }, {}, {}, {}],
    });
    expect((await runLine(world, ['retry', '--store', 'main'])).status).toBe(0);
  });
});

async function everything(): Promise<unknown> {
  const stores = [...world.stores.values()];
  return {
    tables: await world.contentDump(),
    catalog: await world.catalogProducts(),
    catalogWrites: world.catalogWrites().length,
    stores: stores.map((store) => storeDump(store)),
    storeWrites: stores.flatMap((store) => contentWrites(store)).length,
  };
}

const planSchema = z.object({
  store: z.enum(['planned', 'edited']),
  counts: z.object({ seen: z.number() }).loose(),
  actions: z.array(
    z.object({
      kind: z.string(),
      externalId: z.string(),
      reason: z.string().min(1),
      fields: z.array(z.string()),
    }),
  ),
});

const storeNamed = (key: string) => z.object({ store: z.literal(key) });
const statusSchema = z.object({
  workspaces: z.array(z.unknown()).min(1),
  stores: z.tuple([
    storeNamed('main').extend({ lastRuns: z.array(runSchema) }),
    storeNamed('planned'),
    storeNamed('synced'),
    storeNamed('edited'),
  ]),
});
