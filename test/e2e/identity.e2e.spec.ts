import { afterEach, describe, expect, it } from '@jest/globals';
import type { RunningStoreSandbox, SandboxProduct } from '../../src/sandbox/store/index.js';
import { fill, single } from '../support/e2e-products.js';
import { World } from '../support/e2e-world.js';

const OFF = { workspaces: { default: { generation: { mode: 'off' } } } };

let world: World | undefined;
afterEach(() => world?.end());

async function entryOf(here: World, product: SandboxProduct, store: RunningStoreSandbox) {
  const externalId = `shopify:${store.shop}:${product.id}`;
  return (await here.catalogProducts()).find((each) => each.external_id === externalId);
}

describe('identity', () => {
  it('holds between two stores of one workspace whose runs go at the same time', async () => {
    world = await World.open({ stores: ['main', 'other'], settings: OFF });
    const here = world;
    const [main, other] = [here.storeOf('main'), here.storeOf('other')];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      single(main, `main-${name}`, { sku: `SHARED-${name}` });
      single(other, `other-${name}`, { sku: `SHARED-${name}` });
    }
    fill(main, 20);
    await here.startHere();
    const ids = await Promise.all(['main', 'other'].map((store) => here.requestRun({ store })));
    const runs = await Promise.all(ids.map((id) => here.endOf(id)));
    expect(runs).toMatchObject([
      { status: 'succeeded', counts: { seen: 25, created: 25, failed: 0 } },
      { status: 'succeeded', counts: { seen: 5, created: 5, failed: 0 } },
    ]);
    const products = await here.catalogProducts();
    expect(products).toHaveLength(30);
    expect(new Set(products.map((product) => product.external_id)).size).toBe(30);
    // The first run may have sent the identifier before the second product was known. Neither took over the other's
    // product.
    for (const store of [main, other])
      for (const product of store.products.list())
        expect(await entryOf(here, product, store)).toMatchObject({ name: product.title });

    // After both were read again, neither product has the shared SKU.
    for (const store of ['main', 'other', 'main'])
      expect(await here.runToEnd({ store })).toMatchObject({ status: 'succeeded' });
    const after = await here.catalogProducts();
    expect(after).toHaveLength(30);
    expect(new Set(after.map((product) => product.external_id)).size).toBe(30);
  });
});
