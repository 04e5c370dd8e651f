import { afterEach, describe, expect, it } from '@jest/globals';
import { contentWrites, fill, now } from '../support/e2e-products.js';
import { until, World } from '../support/e2e-world.js';

const PRODUCTS = 20;
/** So many of them are in the catalog when the daemon is interrupted. */
const CREATED = 8;

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

/** A daemon in the middle of its run: the catalog has some of the products. The catalog answers slowly, so that the test catches it there. */
async function underWay<Daemon>(
  database: 'embedded' | 'given',
  start: (here: World) => Promise<Daemon>,
): Promise<{ here: World; id: string; daemon: Daemon }> {
  const here = await World.open({
    database,
    settings: {
      workspaces: {
        default: { requestsPerSecond: 15, tasks: { pollSeconds: 5 }, generation: { batchSize: 10 } },
      },
    },
  });
  world = here;
  fill(here.store, PRODUCTS, { singleEvery: 2 });
  const daemon = await start(here);
  const id = await here.requestRun();
  await until('creations', async () =>
    Promise.resolve(
      here.catalogWrites().filter((write) => write === 'POST /products/').length >= CREATED ? true : null,
    ),
  );
  return { here, id, daemon };
}

/** The state that an undisturbed run ends in. */
async function expectWhole(here: World, id: string): Promise<void> {
  const run = await here.endOf(id);
  expect(run).toMatchObject({
    id,
    status: 'succeeded',
    counts: { seen: PRODUCTS, created: PRODUCTS, failed: 0 },
  });
  await here.settled();
  const products = await here.catalogProducts();
  expect(products).toHaveLength(PRODUCTS);
  expect(new Set(products.map((product) => product.external_id)).size).toBe(PRODUCTS);
  const { store } = here;
  for (const product of store.products.list())
    expect(now(store, product).descriptionHtml).toContain('Written by rules');
  const writes = contentWrites(store);
  expect(new Set(writes).size).toBe(writes.length);
  expect(writes).toHaveLength(PRODUCTS);
  expect(await here.rows(`SELECT 1 FROM write_back WHERE state = 'applied'`)).toHaveLength(PRODUCTS);
  const runs = await here.rows<{ id: string }>('SELECT id FROM sync_run');
  expect(runs).toEqual([{ id }]);
}

describe('the daemon that is killed under load', () => {
  it('comes up again, its database of its own left behind, resumes the run under its id and ends as if nothing had happened', async () => {
    const { here, id, daemon } = await underWay('embedded', (opened) => opened.start());
    await daemon.kill();
    await here.database.expireLeases();
    await here.startHere();
    expect((await here.showRun(id)).status).toBe('running');
    await expectWhole(here, id);
  });
});

describe('the daemon that is asked to stop in the middle of a run', () => {
  it('has stopped within 25 s, and the next start resumes the run under its id', async () => {
    const { here, id, daemon } = await underWay('given', (opened) => opened.startHere());
    const askedAt = performance.now();
    await daemon.stop();
    expect(performance.now() - askedAt).toBeLessThan(25_000);
    const [row] = await here.rows<{ state: string; lease: string | null }>(
      'SELECT state, lease FROM sync_run',
    );
    expect(row).toEqual({ state: 'queued', lease: null });
    await here.startHere();
    await expectWhole(here, id);
  });
});
