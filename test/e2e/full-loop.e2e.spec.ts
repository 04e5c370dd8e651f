import { afterEach, describe, expect, it } from '@jest/globals';
import { productExternalId } from '../../src/domain/external-id.js';
import { contentWrites, fill, now } from '../support/e2e-products.js';
import { World, type WorldOptions } from '../support/e2e-world.js';

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

async function open(options: WorldOptions = {}): Promise<World> {
  world = await World.open(options);
  return world;
}

/** Two pages of the catalog's listing, and three batches of generation. */
const PRODUCTS = 60;

describe('the daemon, set by configuration alone', () => {
  it('brings 60 products round, and finds nothing left to do in the next nights: what was written does not come back as news', async () => {
    const here = await open({
      catalog: { notifyAgain: true },
      settings: {
        stores: { main: { writeBack: { sections: { namespace: 'catalog' } } } },
        workspaces: {
          default: { generation: { maxPerRun: 500, batchSize: 20 }, tasks: { pollSeconds: 60 } },
        },
      },
    });
    const { store, catalog } = here;
    const before = fill(store, PRODUCTS, { singleEvery: 4 });
    await here.startHere();

    const first = await here.runToEnd();
    expect(first).toMatchObject({ status: 'succeeded', error: null });
    expect(first.counts).toEqual({
      ...NOTHING,
      seen: PRODUCTS,
      created: PRODUCTS,
      generationRequested: PRODUCTS,
    });
    await here.settled();

    const products = await here.catalogProducts();
    expect(products).toHaveLength(PRODUCTS);
    const byExternalId = new Map(products.map((product) => [product.external_id, product]));
    for (const product of before) {
      const generated = byExternalId.get(productExternalId(`shopify:${store.shop}`, String(product.id)));
      const live = now(store, product);
      expect(live.title).toBe(generated?.name);
      expect(live.descriptionHtml).not.toBe(product.descriptionHtml);
      expect(live.descriptionHtml).toContain('Written by rules');
    }
    expect(contentWrites(store).filter((write) => write.startsWith('productUpdate'))).toHaveLength(PRODUCTS);

    catalog.resetRequests();
    const written = contentWrites(store).length;
    for (const full of [true, false, true]) {
      const night = await here.runToEnd({ full });
      await here.settled();
      expect(night).toMatchObject({ status: 'succeeded', error: null });
      const seen = full ? PRODUCTS : night.counts.seen;
      expect(night.counts).toEqual({ ...NOTHING, seen, unchanged: seen });
    }
    expect(here.catalogWrites()).toEqual([]);
    expect(contentWrites(store)).toHaveLength(written);
  });
});

const NOTHING = {
  seen: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  conflicted: 0,
  failed: 0,
  orphaned: 0,
  generationRequested: 0,
};
