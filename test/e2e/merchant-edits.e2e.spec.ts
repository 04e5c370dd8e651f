import { afterEach, describe, expect, it } from '@jest/globals';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import { contentWrites, edit, fill, now } from '../support/e2e-products.js';
import { World } from '../support/e2e-world.js';

const PRODUCTS = 8;

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

/** A store whose products have all completed the loop once, with the daemon running. */
async function allWritten(): Promise<{ world: World; products: SandboxProduct[] }> {
  world = await World.open({ catalog: { notifyAgain: true } });
  const products = fill(world.store, PRODUCTS, { singleEvery: 2 });
  await world.startHere();
  expect(await world.runToEnd()).toMatchObject({ status: 'succeeded', counts: { created: PRODUCTS } });
  await world.settled();
  for (const product of products)
    expect(now(world.store, product).descriptionHtml).toContain('Written by rules');
  expect(contentWrites(world.store).filter((write) => write.startsWith('productUpdate'))).toHaveLength(
    PRODUCTS,
  );
  return { world, products };
}

describe('a field that the merchant edited after it was written', () => {
  it('is pushed to the catalog and stays, also when new content comes', async () => {
    const { world: here, products } = await allWritten();
    const { store } = here;
    const [edited, vendor, both] = products;
    if (!edited || !vendor || !both) throw new Error('no products');
    edit(store, edited, { descriptionHtml: '<p>My own words.</p>' });
    edit(store, vendor, { vendor: 'Another maker' });
    edit(store, both, { title: 'My own title', vendor: 'Another maker' });

    const night = await here.runToEnd({ full: false });
    expect(night).toMatchObject({
      status: 'succeeded',
      counts: { updated: 3, failed: 0, generationRequested: 2 },
    });
    await here.settled();

    const catalog = new Map((await here.catalogProducts()).map((product) => [product.external_id, product]));
    const of = (product: SandboxProduct) => catalog.get(`shopify:${store.shop}:${product.id}`);
    expect(of(edited)).toMatchObject({ html_description: '<p>My own words.</p>' });
    expect(of(vendor)).toMatchObject({ brand: 'Another maker' });
    // A text of the merchant's alone is no reason to generate, and is not written over.
    expect(now(store, edited)).toMatchObject({
      descriptionHtml: '<p>My own words.</p>',
      title: now(store, edited).title,
    });
    expect(now(store, vendor).title).toContain('Another maker');
    expect(now(store, vendor).descriptionHtml).toContain('Another maker');
    // New content came for this one, and its title is the merchant's from now on.
    expect(now(store, both).title).toBe('My own title');
    expect(now(store, both).descriptionHtml).toContain('Another maker');

    const writes = contentWrites(store).length;
    here.catalog.resetRequests();
    const quiet = await here.runToEnd();
    await here.settled();
    expect(quiet.counts).toMatchObject({ unchanged: PRODUCTS, updated: 0, generationRequested: 0 });
    expect(here.catalogWrites()).toEqual([]);
    expect(contentWrites(store)).toHaveLength(writes);
  });
});
