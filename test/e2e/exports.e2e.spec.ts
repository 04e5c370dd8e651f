import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import type { BulkMode } from '../support/sandbox/spoiled-exports.js';
import { fill, single } from '../support/e2e-products.js';
import { runCommand, syncHere } from '../support/run-command.js';
import { World, type WorldOptions } from '../support/e2e-world.js';

const PRODUCTS = 10;

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

/** Ten products that the catalog has, as the store has them. */
async function inStep(options: WorldOptions = {}): Promise<{ world: World; products: SandboxProduct[] }> {
  world = await World.open({
    ...options,
    settings: { workspaces: { default: { generation: { mode: 'off' } } } },
  });
  const products = fill(world.store, PRODUCTS, { singleEvery: 2 });
  const { run } = await syncHere(world);
  expect(run).toMatchObject({ status: 'succeeded', counts: { seen: PRODUCTS, created: PRODUCTS } });
  return { world, products };
}

function gone(here: World, products: readonly SandboxProduct[], count: number): void {
  for (const { id } of products.slice(0, count)) here.store.products.delete(id);
}

async function orphans(here: World): Promise<number> {
  return (await here.rows(`SELECT 1 FROM store_product WHERE state = 'orphaned'`)).length;
}

describe('an export that is not whole', () => {
  let here: World;
  beforeAll(async () => {
    const { world: opened, products } = await inStep();
    here = opened;
    world = undefined;
    gone(here, products, 1);
  });
  afterAll(() => here.end());

  it.each<[BulkMode]>([['failed'], ['cancelled_with_url'], ['truncated'], ['wrong_counts'], ['url_expired']])(
    'because it ends as %s fails its run, which says so and marks nothing as gone',
    async (mode) => {
      here.store.setBulkMode(mode);
      const broken = await syncHere(here, { full: true });
      expect(broken).toMatchObject({ status: 1, run: { status: 'failed', counts: { orphaned: 0 } } });
      expect(broken.run.error).toMatch(/export|file|count|line/i);
      expect(await orphans(here)).toBe(0);
    },
  );

  it('leaves the next one to find out what is gone', async () => {
    here.store.setBulkMode('ok');
    const { run } = await syncHere(here, { full: true });
    expect(run).toMatchObject({ status: 'succeeded', counts: { seen: PRODUCTS - 1, orphaned: 1 } });
  });
});

describe('an export whose children come long after their products', () => {
  it('is planned once, and every product is created as it is', async () => {
    world = await World.open({ settings: { workspaces: { default: { generation: { mode: 'off' } } } } });
    // The store of the sandbox writes a hundred products before the first child.
    const count = 110;
    const descriptionHtml = `<p>${'Long. '.repeat(1_000)}</p>`;
    for (let id = 1; id <= count; id += 1) single(world.store, `long-${String(id)}`, { descriptionHtml });
    const { run } = await syncHere(world);
    expect(run).toMatchObject({
      status: 'succeeded',
      counts: { seen: count, created: count, failed: 0 },
    });
    expect(await world.rows('SELECT 1 FROM sync_run')).toHaveLength(1);
    expect(await world.rows('SELECT 1 FROM sync_action')).toHaveLength(count);
    const again = await syncHere(world, { full: true });
    expect(again.run).toMatchObject({
      status: 'succeeded',
      counts: { seen: count, unchanged: count, updated: 0, orphaned: 0 },
    });
  });
});

describe('a store that refuses bulk operations', () => {
  it('is read by pages, also for a full run that marks what is gone', async () => {
    const { world: here, products } = await inStep({ store: { bulkMode: 'access_denied' } });
    gone(here, products, 1);
    const { run } = await syncHere(here, { full: true });
    expect(run).toMatchObject({ status: 'succeeded', counts: { seen: PRODUCTS - 1, orphaned: 1 } });
    expect(here.store.requests.some(({ fields }) => fields.includes('products'))).toBe(true);
  });
});

describe('share limits', () => {
  it('stop a run that would orphan too much before it applies anything, name the limit, and --force passes', async () => {
    const { world: here, products } = await inStep();
    gone(here, products, 3);
    here.catalog.resetRequests();
    const stopped = await runCommand(here, 'sync', [], { store: 'main', full: true, json: true });
    expect([stopped.status, JSON.parse(stopped.stdout)]).toMatchObject([
      1,
      { status: 'failed', stoppedByLimit: true, counts: { orphaned: 0, updated: 0 } },
    ]);
    const { stdout } = await runCommand(here, 'status', []);
    expect(stdout).toContain('if the store is right, run store-sync sync --store main --full --force');
    expect(stopped.stderr).toMatch(/limits\.maxOrphanedShare.*30\.0 %.*20\.0 %.*--full --force/);
    expect(here.catalogWrites()).toEqual([]);
    expect(await orphans(here)).toBe(0);
    const forced = await syncHere(here, { full: true, force: true });
    expect(forced).toMatchObject({ status: 0, run: { status: 'succeeded', counts: { orphaned: 3 } } });
  });
});
