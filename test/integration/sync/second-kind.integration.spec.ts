import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startTestShop, type TestShop } from '../../support/sandbox/test-shop.js';
import { WooConnector } from '../../../src/store/woocommerce/connector.js';
import { Stages } from '../../support/stages.js';

const stages = await Stages.open();
let shop: TestShop;
beforeEach(async () => {
  await stages.reset();
  shop = await startTestShop({});
  const key = { consumerKey: shop.consumerKey, consumerSecret: shop.consumerSecret };
  stages.connector = new WooConnector({ url: shop.url, key });
});
afterEach(async () => {
  await stages.connector?.close();
  stages.connector = null;
  await shop.stop();
});

/** Requests that changed something in the shop: the probe of the key is a write to no product. */
function writes(): number {
  const changed = shop.requests.filter(({ method, path }) => method !== 'GET' && path !== 'wc/v3/products/0');
  return changed.length;
}

it('a shop of the second kind is created in the catalog, and a night without changes writes nothing on either side', async () => {
  for (const name of ['Lamp', 'Chair', 'Table'])
    shop.products.create({ row: { name, description: `<p>${name}</p>` }, sku: name.toUpperCase() });
  expect((await stages.sync()).counts).toMatchObject({ seen: 3, created: 3 });
  stages.catalog.script.forget();
  expect((await stages.sync({ full: true })).counts).toMatchObject({
    seen: 3,
    unchanged: 3,
    created: 0,
    updated: 0,
  });
  expect(stages.catalog.script.operations().filter((name) => /upsert|update|delete/i.test(name))).toEqual([]);
  expect(writes()).toBe(0);
});
