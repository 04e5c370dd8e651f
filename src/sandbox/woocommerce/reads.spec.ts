import { afterEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../../test/support/sandbox/store-caller.js';
import type { TestShop, TestShopOptions } from '../../../test/support/sandbox/test-shop.js';
import { ask, stopWooSandboxes, wooSandbox } from '../../../test/support/sandbox/woocommerce-caller.js';
import type { Answer, ShownProduct } from '../../../test/support/sandbox/woocommerce-caller.js';
import { demoCatalogCsv } from '../demo-catalog/demo-catalog.js';

afterEach(stopWooSandboxes);

function list(
  shop: TestShop,
  query: Record<string, string> = {},
  path = 'products',
): Promise<Answer<ShownProduct[]>> {
  return ask<ShownProduct[]>(shop, 'GET', path, { query });
}

const ids = ({ body }: Answer<ShownProduct[]>): number[] => body.map(({ id }) => id);

async function shopOf(count: number, options: TestShopOptions = {}): Promise<TestShop> {
  const shop = await wooSandbox(options);
  for (let number = 1; number <= count; number += 1)
    shop.products.create({ row: { name: `P${number}` }, sku: `S${number}` });
  return shop;
}

describe('a list of products', () => {
  it('is empty past its end, with the right total (B1)', async () => {
    const shop = await shopOf(5);
    const past = await list(shop, { offset: '9', per_page: '2' });
    expect(past.body).toEqual([]);
    expect([past.headers.get('x-wp-total'), past.headers.get('x-wp-totalpages')]).toEqual(['5', '3']);
    expect(ids(await list(shop, { offset: '1', per_page: '2' }))).toEqual(ids(await list(shop)).slice(1, 3));
  });

  it('has every status but the trash (B2, B16)', async () => {
    const shop = await wooSandbox();
    for (const status of ['publish', 'draft', 'pending', 'private', 'future', 'trash'] as const)
      shop.products.create({ row: { name: status, status } });
    const { body, headers } = await list(shop);
    expect(body.map(({ name }) => name)).toEqual(['publish', 'draft', 'pending', 'private', 'future']);
    expect(headers.get('x-wp-total')).toBe('5');
  });

  it('shows a name encoded that the API wrote, and as it was typed where a person wrote it (B5)', async () => {
    const shop = await wooSandbox();
    shop.products.create({ row: { name: 'A & B' } });
    await ask(shop, 'POST', 'products', { body: { name: 'A & B' } });
    expect((await list(shop)).body.map(({ name }) => name)).toEqual(['A & B', 'A &amp; B']);
  });

  it.each<Record<string, string>>([{ search: 'x' }, { per_page: '101' }, { orderby: 'date' }])(
    'fails for %j, which the sandbox does not have',
    async (query) => {
      const shop = await wooSandbox();
      expect((await ask(shop, 'GET', 'products', { query })).status).toBe(500);
      expect(shop.internalErrors.splice(0)).toHaveLength(1);
    },
  );
});

describe('times', () => {
  it.each([
    ['without a zone and dates_are_gmt', '2026-11-22T09:24:16', true, -5, 1],
    ['exactly the time of the change (B7)', '2026-11-22T09:24:17', true, -5, 0],
    ['with Z and dates_are_gmt in the west: hours too much (B8)', '2026-11-22T14:24:16Z', true, -5, 1],
    ['with Z and dates_are_gmt in the east: missed (B8)', '2026-11-22T09:24:16Z', true, 9, 0],
    ['taken as local in the west', '2026-11-22T09:24:16', false, -5, 0],
  ])('modified_after %s', async (_case, modified_after, isGmt, offset, found) => {
    const clock = new TestClock(Date.parse('2026-11-22T09:24:17.600Z'));
    const shop = await shopOf(1, { clock: clock.now, offset });
    const query = { modified_after, ...(isGmt ? { dates_are_gmt: 'true' } : {}) };
    expect((await list(shop, query)).body).toHaveLength(found);
  });

  it('are local and UTC in whole seconds', async () => {
    const clock = new TestClock(Date.parse('2026-11-22T09:24:17.600Z'));
    expect((await list(await shopOf(1, { clock: clock.now }))).body[0]).toMatchObject({
      date_modified: '2026-11-22T04:24:17',
      date_modified_gmt: '2026-11-22T09:24:17',
    });
  });
});

it('variations are listed with their parent’s SKU where they have none, and not below version 10.3 (B12, B13)', async () => {
  const shop = await wooSandbox();
  const { id } = shop.products.create({ type: 'variable', row: { name: 'P' }, sku: 'PARENT' });
  shop.products.create({ type: 'variation', parentId: id, row: { name: 'V' } });
  expect((await list(shop, { context: 'edit' }, 'variations')).body).toMatchObject([{ sku: 'PARENT' }]);
  const old = await wooSandbox({ version: '9.8.1' });
  expect(await ask(old, 'GET', 'variations')).toMatchObject({ status: 404, body: { code: 'rest_no_route' } });
});

it('the shop loads a product export with variations, a tree of categories, brands and SEO texts', async () => {
  const shop = await wooSandbox();
  shop.loadCsv(demoCatalogCsv());
  const read = await list(shop, { per_page: '100', context: 'edit' });
  expect(read.body.length).toBeGreaterThan(30);
  const variable = read.body.find(({ type }) => type === 'variable')!;
  expect(variable.attributes.some(({ variation }) => variation)).toBe(true);
  const variations = await list(shop, { parent: String(variable.id) }, 'variations');
  expect(variations.body.length).toBeGreaterThan(1);
  expect(read.body.some(({ brands }) => brands.length > 0)).toBe(true);
  const keys = read.body.flatMap(({ meta_data }) => meta_data.map(({ key }) => key));
  expect(keys).toContain('_yoast_wpseo_title');
  const leaf = shop.shop.categoryPath('Home & Garden > Kitchen');
  const categories = await list(shop, { per_page: '100' }, 'products/categories');
  expect(categories.body.find(({ id }) => id === leaf.parent)).toMatchObject({
    name: 'Home &amp; Garden',
    parent: 0,
  });
});
