import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PLAIN_VARIANT } from '../../support/e2e-products.js';
import { runSchema, World } from '../../support/e2e-world.js';
import { runCommand, type CommandEnd } from '../../support/run-command.js';
import type { TestStore } from '../../support/sandbox/test-store.js';

/** One for each test of a saved plan, which has its store for itself. */
const STORES = 'abcdefghij'.split('');
const SETTINGS = { workspaces: { default: { generation: { mode: 'off' } } } };
const unused = [...STORES];
let world: World;
let key: string;
let store: TestStore;

beforeAll(async () => {
  world = await World.open({ settings: SETTINGS, stores: STORES });
  // Loads the program once, so that no test pays for it.
  await runCommand(world, 'status', []);
});

afterAll(async () => {
  await world.end();
});

const planned = z.object({
  id: z.string().nullable(),
  store: z.string(),
  cost: z.object({ generations: z.number(), waiting: z.number(), limitedBy: z.string().nullable() }),
  actions: z.array(z.object({ kind: z.string(), label: z.string() })),
});

/** New products of the store. */
function forge(...names: string[]): void {
  for (const name of names) store.products.create({ title: name, handle: name, vendor: 'Forge' });
}

async function sync(options: object = {}): Promise<void> {
  expect((await runCommand(world, 'sync', [], { store: key, full: true, ...options })).status).toBe(0);
}

async function savePlan() {
  const end = await runCommand(world, 'plan', [], { store: key, full: true, save: true, json: true });
  const { id, actions, cost } = planned.parse(JSON.parse(end.stdout));
  return {
    status: end.status,
    id: id ?? '',
    labels: actions.map(({ label }) => label),
    cost,
  };
}

async function apply(id: string): Promise<CommandEnd & { run: z.output<typeof runSchema> }> {
  const end = await runCommand(world, 'apply', [id], { json: true });
  return { ...end, run: runSchema.parse(JSON.parse(end.stdout)) };
}

const idOf = (handle: string): number => store.products.byHandle(handle)?.id ?? 0;
const inCatalog = async () => {
  const products = await world.catalogProducts();
  return products.filter(({ external_id: id }) => id?.startsWith(`shopify:${store.shop}:`));
};
const names = async (): Promise<(string | null)[]> => (await inCatalog()).map(({ name }) => name);

describe('a saved plan', () => {
  beforeEach(() => {
    key = unused.shift() ?? '';
    store = world.storeOf(key);
  });

  it('sends nothing to the catalog, and is carried out entry by entry when it is applied', async () => {
    forge('anvil', 'bellows', 'chisel', 'drill');
    const writes = world.catalogWrites().length;
    const { status, id, labels, cost } = await savePlan();
    expect(status).toBe(2);
    // This workspace requests nothing.
    expect(cost).toEqual({ generations: 0, waiting: 4, limitedBy: 'generation.mode' });
    expect(labels).toHaveLength(4);
    expect(world.catalogWrites()).toHaveLength(writes);
    forge('late');
    const end = await apply(id);
    expect(end.status).toBe(0);
    expect(end.run).toMatchObject({ status: 'succeeded', counts: { seen: 4, created: 4, failed: 0 } });
    expect((await names()).sort()).toEqual(['anvil', 'bellows', 'chisel', 'drill']);
  });

  it('is applied once', async () => {
    forge('anvil');
    const { id } = await savePlan();
    expect((await apply(id)).status).toBe(0);
    const writes = world.catalogWrites().length;
    const end = await runCommand(world, 'apply', [id], { json: true });
    expect(end).toMatchObject({ status: 1, stdout: '' });
    expect(end.stderr).toMatch(/^store-sync: plan .* was applied already, by run .*\n$/);
    expect(world.catalogWrites()).toHaveLength(writes);
  });

  it('refuses by itself each entry that has changed since, carries out the others, ends with 3, and leaves what it refused to the next sync', async () => {
    forge('anvil', 'bellows', 'chisel', 'drill');
    await sync();
    for (const handle of ['anvil', 'bellows', 'chisel', 'drill'])
      store.products.merchantEdit(idOf(handle), { title: `${handle} II` });
    const { id, labels } = await savePlan();
    expect(labels).toHaveLength(4);
    store.products.merchantEdit(idOf('anvil'), { title: 'anvil III' });
    store.products.delete(idOf('bellows'));
    store.products.archive(idOf('chisel'));
    const end = await apply(id);
    expect(end.status).toBe(3);
    expect(end.run).toMatchObject({ status: 'partial', counts: { seen: 4, updated: 1, failed: 3 } });
    expect((await names()).filter((name) => name?.endsWith(' II'))).toEqual(['drill II']);
    const refused = await world.rows<{ label: string; message: string }>(
      `SELECT label, error->>'message' AS message FROM sync_action WHERE run_id = $1 AND state = 'failed' ORDER BY label`,
      [end.run.id],
    );
    expect(refused).toEqual([
      { label: 'anvil II', message: 'refused: the product was changed in the store since the plan was made' },
      { label: 'bellows II', message: 'refused: the product is no longer in the store' },
      { label: 'chisel II', message: 'refused: the product is left out now: its status is archived' },
    ]);
    await sync({ force: true });
    expect(await names()).toContain('anvil III');
  });

  it('refuses what another run has dealt with meanwhile', async () => {
    forge('drill');
    await sync();
    store.products.merchantEdit(idOf('drill'), { title: 'drill II' });
    const { id } = await savePlan();
    await sync();
    const writes = world.catalogWrites().length;
    const end = await apply(id);
    expect(end.status).toBe(3);
    expect(end.run.error).toMatch(/another run has dealt with the product/);
    expect(world.catalogWrites()).toHaveLength(writes);
  });

  it('refuses an identifier that another catalog product has taken since', async () => {
    store.products.create({
      title: 'file',
      handle: 'file',
      variants: [{ ...PLAIN_VARIANT, sku: 'FILE-1' }],
    });
    const { id } = await savePlan();
    await world.catalogApi('POST', '/products/', { name: 'foreign', sku: 'FILE-1', external_id: 'erp:1' });
    const end = await apply(id);
    expect(end.status).toBe(3);
    expect(end.run.error).toMatch(/its identity is decided otherwise by now \(SKU FILE-1 is held by/);
    expect(await names()).not.toContain('file');
  });

  it('withholds on applying what it withheld on planning', async () => {
    await world.catalogApi('POST', '/products/', { name: 'foreign', sku: 'FILE-2', external_id: 'erp:2' });
    store.products.create({
      title: 'file',
      handle: 'file',
      variants: [{ ...PLAIN_VARIANT, sku: 'FILE-2' }],
    });
    const { id } = await savePlan();
    expect((await apply(id)).run).toMatchObject({ counts: { created: 1, conflicted: 1, failed: 0 } });
    const products = await world.catalogProducts();
    expect(products.filter(({ sku }) => sku === 'FILE-2').map(({ external_id }) => external_id)).toEqual([
      'erp:2',
    ]);
    expect(await inCatalog()).toMatchObject([{ name: 'file', sku: null }]);
  });

  it('sends no product that the filter leaves out by now', async () => {
    forge('drill');
    await sync();
    store.products.merchantEdit(idOf('drill'), { title: 'drill II' });
    const { id } = await savePlan();
    await world.configure({ ...SETTINGS, stores: { [key]: { filter: { query: 'tag:x' } } } });
    const end = await apply(id);
    await world.configure(SETTINGS);
    expect(end.run.error).toMatch(/the product is left out now: filter.query does not select it/);
    expect(await names()).toEqual(['drill']);
  });

  it('deletes no catalog product that it announced as kept', async () => {
    // Of six products one may leave: a fifth of the store is the limit.
    forge('anvil', 'bellows', 'chisel', 'drill', 'file', 'grindstone');
    await sync();
    store.products.delete(idOf('file'));
    const { id } = await savePlan();
    const before = await names();
    await world.configure({ ...SETTINGS, stores: { [key]: { deleted: 'delete' } } });
    const end = await apply(id);
    await world.configure(SETTINGS);
    expect(end.run.error).toMatch(/the setting deleted was changed since the plan was made/);
    expect(before).toContain('file');
    expect(await names()).toEqual(before);
  });

  it('waits while a run of the store is active', async () => {
    forge('drill');
    const { id } = await savePlan();
    await world.rows(
      `INSERT INTO sync_run (store, workspace, kind, trigger, state, lease, lease_until)
       VALUES ($1, 'default', 'full', 'command', 'running', 'other', now() + interval '1 hour')`,
      [key],
    );
    const end = await runCommand(world, 'apply', [id]);
    expect(end.status).toBe(1);
    expect(end.stderr).toMatch(/is active or has just ended: apply the plan again once it has ended/);
    await world.rows(`DELETE FROM sync_run WHERE lease = 'other'`);
    expect((await apply(id)).status).toBe(0);
  });

  it('is not kept where there is nothing to do', async () => {
    forge('anvil');
    await sync();
    const before = await world.rows('SELECT id FROM sync_run ORDER BY id');
    const end = await runCommand(world, 'plan', [], { store: key, full: true, save: true, json: true });
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ id: null, actions: [] });
    expect(await world.rows('SELECT id FROM sync_run ORDER BY id')).toEqual(before);
  });
});

describe('an unknown plan', () => {
  it('ends apply with 1 and one line', async () => {
    expect(await runCommand(world, 'apply', ['nobody'])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'store-sync: no plan nobody\n',
    });
  });
});

describe('an unknown store', () => {
  it.each(['plan', 'sync'] as const)(
    'ends %s with 1 and a line that names the configured ones',
    async (name) => {
      expect(await runCommand(world, name, [], { store: 'nowhere' })).toEqual({
        status: 1,
        stdout: '',
        stderr: `store-sync: no store "nowhere" is configured (configured: ${STORES.join(', ')})\n`,
      });
    },
  );
});
