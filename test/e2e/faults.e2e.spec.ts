import { afterEach, describe, expect, it } from '@jest/globals';
import { contentWrites, fill, now } from '../support/e2e-products.js';
import { World, type WorldOptions } from '../support/e2e-world.js';
import { syncHere } from '../support/run-command.js';
import type { FaultProxy } from '../support/fault-proxy.js';

const PRODUCTS = 12;
const POST = { method: 'POST', path: /\/products\/(\?|$)/ };

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

async function open(options: WorldOptions = {}): Promise<{ world: World; proxy: FaultProxy }> {
  world = await World.open({ proxied: true, ...options });
  if (world.proxy === null) throw new Error('no proxy');
  return { world, proxy: world.proxy };
}

const WITHOUT_GENERATION = { settings: { workspaces: { default: { generation: { mode: 'off' } } } } };

/** Each product of the store once in the catalog, with as many variants as it has. */
async function expectEachOnce(here: World): Promise<void> {
  const products = await here.catalogProducts();
  const externalIds = products.map((product) => product.external_id);
  expect(new Set(externalIds).size).toBe(externalIds.length);
  expect(externalIds).toHaveLength(here.store.products.list().length);
  for (const product of products.filter((each) => each['is_product_model'] === true)) {
    const { body } = await here.catalogApi('GET', `/products/${product.id}/variants/`);
    expect(body).toMatchObject({ count: 3 });
  }
}

describe('a catalog that fails in every way there is', () => {
  it('ends up with each product once: errors, cut connections, odd answers', async () => {
    const { world: here, proxy } = await open(WITHOUT_GENERATION);
    fill(here.store, 24, { singleEvery: 2 });
    proxy.arm({ kind: 'status', status: 500 }, { ...POST, count: 2 });
    proxy.arm({ kind: 'status', status: 502, body: '<html>Bad Gateway</html>' }, { ...POST, count: 1 });
    proxy.arm(
      { kind: 'status', status: 503, headers: () => ({ 'retry-after': '1' }) },
      { ...POST, count: 1 },
    );
    proxy.arm({ kind: 'reset', when: 'before' }, { ...POST, count: 2 });
    proxy.arm({ kind: 'reset', when: 'after' }, { ...POST, count: 3 });
    proxy.arm({ kind: 'truncate' }, { ...POST, count: 2 });
    proxy.arm({ kind: 'html' }, { ...POST, count: 1 });
    proxy.arm({ kind: 'latency', ms: 500 }, { ...POST, count: 2 });
    proxy.arm({ kind: 'slow', ms: 800 }, { ...POST, count: 2 });
    proxy.arm({ kind: 'duplicate' }, { ...POST, count: 2 });
    proxy.arm({ kind: 'reorder', ms: 500 }, { ...POST, count: 2 });
    proxy.arm({ kind: 'reset', when: 'before' }, { method: 'GET', count: 1 });
    proxy.arm({ kind: 'status', status: 500 }, { method: 'GET', path: /background-tasks/, count: 2 });
    const { status, run } = await syncHere(here);
    expect({ status, error: run.error, counts: run.counts }).toMatchObject({
      status: 0,
      error: null,
      counts: { seen: 24, created: 24, failed: 0 },
    });
    expect(proxy.waiting).toBe(0);
    await expectEachOnce(here);
    expect((await syncHere(here, { full: true })).run.counts).toMatchObject({
      unchanged: 24,
      created: 0,
      updated: 0,
    });
  });

  it('is asked for content once, also when the answer to that was lost', async () => {
    const { world: here, proxy } = await open({
      settings: { workspaces: { default: { generation: { batchSize: 4 } } } },
    });
    const products = fill(here.store, PRODUCTS);
    await here.startHere();
    proxy.arm({ kind: 'reset', when: 'after' }, { method: 'POST', path: /generate/, count: 1 });
    const run = await here.runToEnd();
    expect(run.counts).toMatchObject({ created: PRODUCTS, failed: 0 });
    // The next run requests what the interruption left; nothing is requested twice.
    const next = await here.runToEnd({ full: false });
    await here.settled();
    const last = await here.runToEnd();
    expect(last).toMatchObject({ status: 'succeeded', counts: { generationRequested: 0 } });
    expect(run.counts.generationRequested + next.counts.generationRequested).toBe(PRODUCTS);
    for (const product of products)
      expect(now(here.store, product).descriptionHtml).toContain('Written by rules');
    const tasks = await here.rows<{ products: string; tasks: string }>(
      'SELECT count(DISTINCT external_id) AS products, count(*) AS tasks FROM generation_task',
    );
    expect(tasks).toEqual([{ products: String(PRODUCTS), tasks: String(PRODUCTS) }]);
    expect(contentWrites(here.store)).toHaveLength(PRODUCTS);
  });
});

describe('a store that throttles and fails', () => {
  it('is read whole and gets each content once', async () => {
    const { world: here } = await open();
    const { store } = here;
    const products = fill(store, PRODUCTS, { singleEvery: 2 });
    await here.startHere();
    store.throttleNext(2, { operation: 'BulkRun' });
    store.throttleNext(1, { operation: 'BulkPoll' });
    store.failNext(500, { operation: 'BulkPoll', count: 1 });
    store.throttleNext(3, { operation: 'ProductUpdate' });
    store.failNext(502, { operation: 'ProductUpdate', count: 2 });
    store.failNext(429, { operation: 'LiveProduct', count: 2, retryAfterSeconds: 1 });
    store.resetNext({ operation: 'ProductUpdate', when: 'before', count: 2 });
    store.resetNext({ operation: 'ProductUpdate', when: 'after', count: 2 });
    const run = await here.runToEnd();
    expect(run).toMatchObject({
      status: 'succeeded',
      counts: { seen: PRODUCTS, created: PRODUCTS, failed: 0 },
    });
    await here.settled();
    for (const product of products) expect(now(store, product).descriptionHtml).toContain('Written by rules');
    const writes = contentWrites(store);
    expect(new Set(writes).size).toBe(PRODUCTS);
    expect(writes).toHaveLength(PRODUCTS);
    expect(await here.rows(`SELECT 1 FROM write_back WHERE state = 'applied'`)).toHaveLength(PRODUCTS);
    expect((await here.runToEnd()).counts).toMatchObject({
      unchanged: PRODUCTS,
      updated: 0,
      generationRequested: 0,
    });
  });
});
