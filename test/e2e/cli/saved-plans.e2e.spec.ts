import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PLAIN_VARIANT } from '../../support/e2e-products.js';
import { runSchema, World } from '../../support/e2e-world.js';
import { runCommand, type CommandEnd } from '../../support/run-command.js';

let world: World;

beforeAll(async () => {
  world = await World.open({ settings: { workspaces: { default: { generation: { mode: 'off' } } } } });
  // Loads the program once, so that no test pays for it.
  await runCommand(world, 'status', []);
  for (const name of ['anvil', 'bellows', 'chisel', 'drill']) {
    world.store.products.create({ title: name, handle: name, vendor: 'Forge' });
  }
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

async function savePlan() {
  const end = await runCommand(world, 'plan', [], { store: 'main', full: true, save: true, json: true });
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

const idOf = (handle: string): number => world.store.products.byHandle(handle)?.id ?? 0;
const names = async (): Promise<(string | null)[]> => (await world.catalogProducts()).map(({ name }) => name);

describe('a saved plan', () => {
  it('sends nothing to the catalog, and is carried out entry by entry when it is applied', async () => {
    const { status, id, labels, cost } = await savePlan();
    expect(status).toBe(2);
    // This workspace requests nothing.
    expect(cost).toEqual({ generations: 0, waiting: 4, limitedBy: 'generation.mode' });
    expect(labels).toHaveLength(4);
    expect(world.catalogWrites()).toEqual([]);
    world.store.products.create({ title: 'late', handle: 'late', vendor: 'Forge' });
    const end = await apply(id);
    expect(end.status).toBe(0);
    expect(end.run).toMatchObject({ status: 'succeeded', counts: { seen: 4, created: 4, failed: 0 } });
    expect((await names()).sort()).toEqual(['anvil', 'bellows', 'chisel', 'drill']);
  });

  it('is applied once', async () => {
    const { id } = await savePlan();
    expect((await apply(id)).status).toBe(0);
    const writes = world.catalogWrites().length;
    const end = await runCommand(world, 'apply', [id], { json: true });
    expect(end).toMatchObject({ status: 1, stdout: '' });
    expect(end.stderr).toMatch(/^store-sync: plan .* was applied already, by run .*\n$/);
    expect(world.catalogWrites()).toHaveLength(writes);
  });

  it('refuses by itself each entry that has changed since, carries out the others and ends with 3', async () => {
    for (const handle of ['anvil', 'bellows', 'chisel', 'drill'])
      world.store.products.merchantEdit(idOf(handle), { title: `${handle} II` });
    const { id, labels } = await savePlan();
    expect(labels).toHaveLength(4);
    world.store.products.merchantEdit(idOf('anvil'), { title: 'anvil III' });
    world.store.products.delete(idOf('bellows'));
    world.store.products.archive(idOf('chisel'));
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
  });

  it('leaves what it refused to the next sync', async () => {
    const end = await runCommand(world, 'sync', [], {
      store: 'main',
      full: true,
      force: true,
      json: true,
    });
    expect(end.status).toBe(0);
    expect(await names()).toContain('anvil III');
  });

  it('refuses what another run has dealt with meanwhile', async () => {
    world.store.products.merchantEdit(idOf('drill'), { title: 'drill IV' });
    const { id } = await savePlan();
    await runCommand(world, 'sync', [], { store: 'main', full: true });
    const writes = world.catalogWrites().length;
    const end = await apply(id);
    expect(end.status).toBe(3);
    expect(end.run.error).toMatch(/another run has dealt with the product/);
    expect(world.catalogWrites()).toHaveLength(writes);
  });

  it('refuses an identifier that another catalog product has taken since', async () => {
    world.store.products.create({
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
    const { id } = await savePlan();
    expect((await apply(id)).run).toMatchObject({ counts: { created: 1, conflicted: 1, failed: 0 } });
    const products = await world.catalogProducts();
    expect(products.filter(({ sku }) => sku === 'FILE-1').map(({ external_id }) => external_id)).toEqual([
      'erp:1',
    ]);
    expect(products.find(({ name }) => name === 'file')).toMatchObject({ sku: null });
  });

  it('sends no product that the filter leaves out by now', async () => {
    world.store.products.merchantEdit(idOf('drill'), { title: 'drill V' });
    const { id } = await savePlan();
    const settings = { workspaces: { default: { generation: { mode: 'off' } } } };
    await world.configure({ ...settings, stores: { main: { filter: { query: 'tag:x' } } } });
    const end = await apply(id);
    await world.configure(settings);
    expect(end.run.error).toMatch(/the product is left out now: filter.query does not select it/);
    expect(await names()).not.toContain('drill V');
    world.store.products.merchantEdit(idOf('drill'), { title: 'drill IV' });
  });

  it('deletes no catalog product that it announced as kept', async () => {
    world.store.products.delete(idOf('file'));
    const { id } = await savePlan();
    const before = await names();
    const settings = { workspaces: { default: { generation: { mode: 'off' } } } };
    await world.configure({ ...settings, stores: { main: { deleted: 'delete' } } });
    const end = await apply(id);
    await world.configure(settings);
    expect(end.run.error).toMatch(/the setting deleted was changed since the plan was made/);
    expect(await names()).toEqual(before);
  });

  it('waits while a run of the store is active', async () => {
    world.store.products.merchantEdit(idOf('drill'), { title: 'drill V' });
    const { id } = await savePlan();
    await world.rows(
      `INSERT INTO sync_run (store, workspace, kind, trigger, state, lease, lease_until)
       VALUES ('main', 'default', 'full', 'command', 'running', 'other', now() + interval '1 hour')`,
    );
    const end = await runCommand(world, 'apply', [id]);
    expect(end.status).toBe(1);
    expect(end.stderr).toMatch(/is active or has just ended: apply the plan again once it has ended/);
    await world.rows(`DELETE FROM sync_run WHERE lease = 'other'`);
    expect((await apply(id)).status).toBe(0);
  });

  it('is not kept where there is nothing to do', async () => {
    const before = await world.rows('SELECT id FROM sync_run ORDER BY id');
    const end = await runCommand(world, 'plan', [], {
      store: 'main',
      full: true,
      save: true,
      json: true,
    });
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ id: null, actions: [] });
    expect(await world.rows('SELECT id FROM sync_run ORDER BY id')).toEqual(before);
  });

  it('that is unknown ends with 1 and one line', async () => {
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
        stderr: 'store-sync: no store "nowhere" is configured (configured: main)\n',
      });
    },
  );
});
