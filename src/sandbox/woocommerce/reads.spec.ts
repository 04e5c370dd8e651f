import { afterEach, describe, expect, it } from '@jest/globals';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { demoCatalogCsv } from '../demo-catalog/demo-catalog.js';
import { TestClock } from '../../../test/support/sandbox/store-caller.js';
import {
  ask,
  basic,
  plain,
  stopWooSandboxes,
  wooSandbox,
} from '../../../test/support/sandbox/woocommerce-caller.js';
import type { Answer, ShownProduct } from '../../../test/support/sandbox/woocommerce-caller.js';

afterEach(stopWooSandboxes);

function list(
  shop: TestShop,
  query: Record<string, string> = {},
  path = 'products',
): Promise<Answer<ShownProduct[]>> {
  return ask<ShownProduct[]>(shop, 'GET', path, { query });
}

const ids = ({ body }: Answer<ShownProduct[]>): number[] => body.map(({ id }) => id);

async function shopOf(count: number, options = {}): Promise<TestShop> {
  const shop = await wooSandbox(options);
  for (let number = 1; number <= count; number += 1)
    shop.products.create({ row: { name: `P${number}` }, sku: `S${number}` });
  return shop;
}

describe('a list of products', () => {
  it.each(['101', '0', '-1', 'x'])('refuses per_page %s (B1)', async (per_page) => {
    const answer = await ask(await wooSandbox(), 'GET', 'products', { query: { per_page } });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'rest_invalid_param', data: { params: { per_page: expect.any(String) } } },
    });
  });

  it('is empty past its end, with the right total, and offset beats page (B1)', async () => {
    const shop = await shopOf(5);
    const past = await list(shop, { page: '9', per_page: '2' });
    expect(past.body).toEqual([]);
    expect([past.headers.get('x-wp-total'), past.headers.get('x-wp-totalpages')]).toEqual(['5', '3']);
    const all = ids(await list(shop, { orderby: 'id', order: 'asc' }));
    expect(
      ids(await list(shop, { orderby: 'id', order: 'asc', page: '3', offset: '1', per_page: '2' })),
    ).toEqual(all.slice(1, 3));
    expect((await plain(shop, 'HEAD', '/wp-json/wc/v3/products')).body).toEqual({ text: '' });
  });

  it('has every status but the trash, and takes one status at a time (B2, B16)', async () => {
    const shop = await wooSandbox();
    for (const status of ['publish', 'draft', 'pending', 'private', 'future', 'trash'] as const)
      shop.products.create({ row: { name: status, status } });
    const names = ({ body }: Answer<ShownProduct[]>) => body.map(({ name }) => name).sort();
    const any = await list(shop);
    expect(names(any)).toEqual(['draft', 'future', 'pending', 'private', 'publish']);
    expect(any.headers.get('x-wp-total')).toBe('5');
    expect((await list(shop, { status: 'publish,draft' })).status).toBe(400);
    expect(names(await list(shop, { status: 'trash' }))).toEqual(['trash']);
  });

  it('keeps named members of the top only, and `_links` where they are named (B3)', async () => {
    const shop = await shopOf(1);
    expect((await list(shop, { _fields: 'id,name,dimensions.length,categories.id' })).body).toEqual([
      { id: expect.any(Number), name: 'P1' },
    ]);
    expect((await list(shop, { _fields: 'nothing' })).body).toEqual([[]]);
    expect(Object.keys((await list(shop, { _fields: 'id,_links' })).body[0]!)).toEqual(['id', '_links']);
    const [id] = ids(await list(shop));
    expect(
      Object.keys((await ask(shop, 'GET', `products/${id}`, { query: { _fields: 'id' } })).body),
    ).toEqual(['id', '_links']);
  });

  it('shows texts rendered in view and as stored in edit; a variation’s is rendered in both (B4)', async () => {
    const shop = await wooSandbox();
    const description = 'a\n\nb';
    const { id } = shop.products.create({ type: 'variable', row: { name: 'P', description } });
    shop.products.create({ type: 'variation', parentId: id, row: { name: 'V', description } });
    const texts = async (context: string, path: string) =>
      (await list(shop, { context }, path)).body[0]!.description;
    expect(await texts('view', 'products')).toBe('<p>a</p>\n<p>b</p>\n');
    expect(await texts('edit', 'products')).toBe(description);
    expect(await texts('edit', `products/${id}/variations`)).toBe('<p>a</p>\n<p>b</p>\n');
    expect((await list(shop)).body[0]!.description).toBe('<p>a</p>\n<p>b</p>\n');
  });

  it('shows a name encoded that the API wrote, and as it was typed where a person wrote it (B5)', async () => {
    const shop = await wooSandbox();
    shop.products.create({ row: { name: 'A & B' } });
    await ask(shop, 'POST', 'products', { body: { name: 'A & B' } });
    const read = await list(shop, { orderby: 'id', order: 'asc' });
    expect(read.body.map(({ name }) => name)).toEqual(['A & B', 'A &amp; B']);
  });

  it('turns addresses of an http shop https when it is asked over TLS, srcset excepted (B6)', async () => {
    const shop = await wooSandbox({ tls: true, homeUrl: 'http://shop.example' });
    const image = shop.shop.newImage('http://shop.example/a.png');
    shop.products.create({ row: { name: 'P' }, images: [image] });
    const headers = basic(shop.consumerKey, shop.consumerSecret);
    const { body } = await plain<ShownProduct[]>(shop, 'GET', '/wp-json/wc/v3/products', { headers });
    expect(body[0]).toMatchObject({
      permalink: expect.stringMatching(/^https:/),
      images: [{ src: 'https://shop.example/a.png', srcset: expect.stringMatching(/^http:/) }],
    });
  });

  it('refuses an order that it does not know (B9)', async () => {
    const shop = await shopOf(3);
    expect((await list(shop, { orderby: 'nothing' })).status).toBe(400);
    for (const orderby of ['id', 'date', 'modified'])
      expect(ids(await list(shop, { orderby }))).toHaveLength(3);
  });

  it('answers included ids by date, or in their order, and is silent about missing ones', async () => {
    const shop = await shopOf(4);
    const [a, b, c] = ids(await list(shop, { orderby: 'id', order: 'asc' }));
    const include = `${b},${a},999999`;
    expect(ids(await list(shop, { include }))).toEqual([b, a]);
    expect(ids(await list(shop, { include: `${a},${c},${b}`, orderby: 'include' }))).toEqual([a, c, b]);
  });

  it('never shows the shop’s own meta keys', async () => {
    const shop = await wooSandbox();
    const { id } = shop.products.create({ row: { name: 'P' } });
    shop.products.edit(id, { meta: { _yoast_wpseo_title: 'T', other: { a: 1 }, _edit_lock: '1' } });
    const [product] = (await list(shop)).body;
    expect(product?.meta_data.map(({ key }) => key)).toEqual(['_yoast_wpseo_title', 'other']);
  });

  it('is shorter than its total where the key may not read some products', async () => {
    const shop = await shopOf(3);
    shop.hideFromKeys(shop.products.list().slice(0, 2));
    const read = await list(shop, { per_page: '2', orderby: 'id', order: 'asc' });
    expect([read.body.length, read.headers.get('x-wp-total')]).toEqual([0, '3']);
  });

  it('fails for a parameter that the sandbox does not have', async () => {
    const shop = await wooSandbox();
    expect((await ask(shop, 'GET', 'products', { query: { search: 'x' } })).status).toBe(500);
    expect(shop.internalErrors.splice(0)).toHaveLength(1);
  });
});

describe('times', () => {
  it.each([
    ['without a zone and dates_are_gmt', '2026-11-22T09:24:16', true, -5, [1]],
    ['without a zone and dates_are_gmt in the east', '2026-11-22T09:24:16', true, 9, [1]],
    ['exactly the time of the change (B7)', '2026-11-22T09:24:17', true, -5, []],
    ['with Z and dates_are_gmt in the west: hours too much (B8)', '2026-11-22T14:24:16Z', true, -5, [1]],
    ['with Z and dates_are_gmt in the east: missed (B8)', '2026-11-22T09:24:16Z', true, 9, []],
    ['with Z alone', '2026-11-22T09:24:16Z', false, -5, [1]],
    ['with Z alone in the east', '2026-11-22T09:24:16Z', false, 9, [1]],
    ['taken as local in the west', '2026-11-22T09:24:16', false, -5, []],
    ['taken as local in the east', '2026-11-22T09:24:16', false, 9, [1]],
  ])('modified_after %s', async (_case, modified_after, isGmt, offset, found) => {
    const clock = new TestClock(Date.parse('2026-11-22T09:24:17.600Z'));
    const shop = await shopOf(1, { clock: clock.now, offset });
    const query = { modified_after, ...(isGmt ? { dates_are_gmt: 'true' } : {}) };
    expect((await list(shop, query)).body).toHaveLength(found.length);
  });

  it.each(['2026-11-22', '1763800000'])('modified_after %s is refused', async (modified_after) => {
    const answer = await ask(await wooSandbox(), 'GET', 'products', { query: { modified_after } });
    expect(answer).toMatchObject({
      status: 400,
      body: { data: { details: { modified_after: { code: 'rest_invalid_date' } } } },
    });
  });

  it('are local and UTC in whole seconds, and the local ones move with the shop’s zone', async () => {
    const clock = new TestClock(Date.parse('2026-11-22T09:24:17.600Z'));
    const shop = await shopOf(1, { clock: clock.now });
    const utc = { date_modified_gmt: '2026-11-22T09:24:17' };
    expect((await list(shop)).body[0]).toMatchObject({ ...utc, date_modified: '2026-11-22T04:24:17' });
    shop.shop.offset = 9;
    expect((await list(shop)).body[0]).toMatchObject({ ...utc, date_modified: '2026-11-22T18:24:17' });
    expect((await list(shop, { modified_after: '2026-11-22T09:24:16Z' })).body).toHaveLength(0);
  });
});

describe('pages of a list that changes (B10)', () => {
  const page = (shop: TestShop, query: Record<string, string>, number: number) =>
    list(shop, { ...query, per_page: '2', page: String(number) }).then(ids);

  it('miss a product when one before it goes', async () => {
    const shop = await shopOf(4);
    const [first, , third] = shop.products.list().map(({ id }) => id);
    const query = { orderby: 'id', order: 'asc' };
    await page(shop, query, 1);
    shop.products.trash(first!);
    expect(await page(shop, query, 2)).not.toContain(third);
  });

  it('miss one and have one twice when a product is touched under the order of changes', async () => {
    const clock = new TestClock();
    const shop = await shopOf(0, { clock: clock.now });
    for (const name of ['A', 'B', 'C', 'D']) {
      shop.products.create({ row: { name } });
      clock.advance(1000);
    }
    const [a, , c] = shop.products.list().map(({ id }) => id);
    const query = { orderby: 'modified', order: 'asc' };
    expect(await page(shop, query, 1)).toContain(a);
    shop.products.edit(a!, { name: 'AA' });
    expect(await page(shop, query, 2)).not.toContain(c);
    expect(await page(shop, query, 2)).toContain(a);
  });

  it('have one twice and not the new one in the default order', async () => {
    const shop = await shopOf(4);
    const before = await page(shop, {}, 1);
    const { id } = shop.products.create({ row: { name: 'new' } });
    const after = await page(shop, {}, 2);
    expect(after).toContain(before[1]);
    expect(after).not.toContain(id);
  });

  it('can be watched: a change in the midst of a read is made before an answer', async () => {
    const shop = await shopOf(3);
    const [first] = shop.products.list();
    shop.beforeEach(({ parameters }) => {
      if (parameters.get('page') === '2') shop.products.trash(first!.id);
    });
    await list(shop, { page: '1' });
    expect(shop.products.get(first!.id)?.row.status).toBe('publish');
    await list(shop, { page: '2' });
    expect(shop.products.get(first!.id)?.row.status).toBe('trash');
  });
});

describe('variations', () => {
  it('are listed for the whole shop, by parent and by change, and not below version 10.3 (B12)', async () => {
    const shop = await wooSandbox();
    const parents = [1, 2].map(
      (number) => shop.products.create({ type: 'variable', row: { name: `P${number}` } }).id,
    );
    const own = parents.map(
      (parentId) => shop.products.create({ type: 'variation', parentId, row: { name: 'V' } }).id,
    );
    const order = { orderby: 'id', order: 'asc' };
    const all = await list(shop, order, 'variations');
    expect(all.body).toMatchObject([
      { id: own[0], parent_id: parents[0] },
      { id: own[1], parent_id: parents[1] },
    ]);
    expect(all.body[0]!._links['up']![0]!.href).toContain('products/0');
    expect(ids(await list(shop, { parent: String(parents[1]) }, 'variations'))).toEqual([own[1]]);
    expect(ids(await list(shop, {}, `products/${parents[0]}/variations`))).toEqual([own[0]]);
    expect((await list(shop)).body.map(({ variations }) => variations)).toEqual([[own[1]], [own[0]]]);
    const old = await wooSandbox({ version: '9.8.1' });
    expect(await ask(old, 'GET', 'variations')).toMatchObject({
      status: 404,
      body: { code: 'rest_no_route' },
    });
  });

  it('answer their parent’s SKU when they have none, in edit too (B13)', async () => {
    const shop = await wooSandbox();
    const { id } = shop.products.create({ type: 'variable', row: { name: 'P' }, sku: 'PARENT' });
    shop.products.create({ type: 'variation', parentId: id, row: { name: 'V' } });
    expect((await list(shop, { context: 'edit' }, 'variations')).body[0]).toMatchObject({ sku: 'PARENT' });
  });
});

describe('the shop', () => {
  it('says who it is; an older one has no id (B15)', async () => {
    const shop = await wooSandbox();
    const read = (each: TestShop) =>
      ask(each, 'GET', 'system_status', { query: { _fields: 'environment,settings' } });
    expect((await read(shop)).body).toMatchObject({
      environment: { store_id: expect.any(String), home_url: shop.url, version: '10.5.0' },
      settings: { currency: 'EUR' },
    });
    const old = await read(await wooSandbox({ storeId: null }));
    expect(old.body['environment']).not.toHaveProperty('store_id');
  });

  it('has a tree of categories, with encoded names and 100 a page', async () => {
    const shop = await wooSandbox();
    const leaf = shop.shop.categoryPath('Home & Garden > Kitchen');
    const categories = await list(shop, { per_page: '100' }, 'products/categories');
    const root = categories.body.find(({ id }) => id === leaf.parent);
    expect(root).toMatchObject({ name: 'Home &amp; Garden', parent: 0 });
  });

  it('loads a product export with variations, categories, brands and SEO texts', async () => {
    const shop = await wooSandbox();
    shop.loadCsv(demoCatalogCsv());
    const read = await list(shop, { per_page: '100', context: 'edit' });
    expect(read.body.length).toBeGreaterThan(30);
    const variable = read.body.find(({ type, variations }) => type === 'variable' && variations.length > 1)!;
    expect(variable.attributes.some(({ variation }) => variation)).toBe(true);
    expect(read.body.some(({ brands }) => brands.length > 0)).toBe(true);
    const keys = read.body.flatMap(({ meta_data }) => meta_data.map(({ key }) => key));
    expect(keys).toContain('_yoast_wpseo_title');
  });
});
