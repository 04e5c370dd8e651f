import { afterEach, describe, expect, it } from '@jest/globals';
import { contentWrites, fill, now } from '../support/e2e-products.js';
import { until, World } from '../support/e2e-world.js';

const PRODUCTS = 20;
/** So many of them are in the catalog when the daemon is asked to stop. */
const CREATED = 8;

let world: World | undefined;
afterEach(() => world?.end());

describe('the daemon that is asked to stop in the middle of a run', () => {
  it('has stopped within 25 s, and the next start resumes the run under its id', async () => {
    // The catalog answers slowly, so that the test catches the run in its middle.
    const pace = { requestsPerSecond: 15, tasks: { pollSeconds: 5 }, generation: { batchSize: 10 } };
    world = await World.open({ settings: { workspaces: { default: pace } } });
    const { store } = world;
    fill(store, PRODUCTS, { singleEvery: 2 });
    const daemon = await world.startHere();
    const id = await world.requestRun();
    const creations = () => world?.catalogWrites().filter((write) => write === 'POST /products/') ?? [];
    await until('creations', () => Promise.resolve(creations().length >= CREATED));

    const askedAt = performance.now();
    await daemon.stop();
    expect(performance.now() - askedAt).toBeLessThan(25_000);
    expect(await world.rows('SELECT state, lease FROM sync_run')).toEqual([{ state: 'queued', lease: null }]);

    // The next start ends as an undisturbed run would.
    await world.startHere();
    expect(await world.endOf(id)).toMatchObject({
      ...{ id, status: 'succeeded', counts: { seen: PRODUCTS, created: PRODUCTS, failed: 0 } },
    });
    await world.settled();
    const products = await world.catalogProducts();
    expect(products).toHaveLength(PRODUCTS);
    expect(new Set(products.map((product) => product.external_id)).size).toBe(PRODUCTS);
    for (const product of store.products.list())
      expect(now(store, product).descriptionHtml).toContain('Written by rules');
    const writes = contentWrites(store);
    expect(writes).toHaveLength(PRODUCTS);
    expect(new Set(writes).size).toBe(PRODUCTS);
    expect(await world.rows(`SELECT 1 FROM write_back WHERE state = 'applied'`)).toHaveLength(PRODUCTS);
    expect(await world.rows<{ id: string }>('SELECT id FROM sync_run')).toEqual([{ id }]);
  });
});
