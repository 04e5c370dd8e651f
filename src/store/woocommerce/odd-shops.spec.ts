import { afterEach, describe, expect, it } from '@jest/globals';
import {
  closeShops,
  connect,
  idIn,
  requests,
  shopWith,
  sources,
  valueIn,
  whole,
  write,
  written,
} from '../../../test/support/sandbox/connected-shop.js';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';

afterEach(closeShops);

/** A plugin changes the answers about one product. */
function alterProduct(shop: TestShop, id: number, fields: object): void {
  const altered = (entry: object): object =>
    'id' in entry && entry.id === id ? { ...entry, ...fields } : entry;
  shop.alter((reply, { path }) => {
    if (!path.startsWith('wc/v3/products') || typeof reply.body !== 'object') return reply;
    const body = Array.isArray(reply.body) ? reply.body.map(altered) : altered(reply.body);
    return { ...reply, body };
  });
}

const textsOfMaps = (_name: string, value: unknown): unknown =>
  value instanceof Map ? [...value.values()] : value;

it.each<[string, readonly unknown[]]>([
  ['several values', ['Wool', 'Linen']],
  ['a list', [['Wool', 'Linen']]],
  ['an object', [{ rows: 2 }]],
])('meta data that is no single text is left as it is: %s', async (_what, values) => {
  const shop = await shopWith(1);
  const id = idIn(shop);
  const meta = values.map((value, index) => ({ id: 900 + index, key: 'catalog_care', value }));
  shop.products.edit(id, {});
  shop.shop.putSilently({ ...shop.products.get(id)!, meta });
  const connector = connect(shop);
  const { value, closed } = await valueIn(connector, id, 'metafield:catalog.care');
  expect(closed?.reason).toMatch(/several values|is not a text/);
  const outcomes = await written(connector, id, write('metafield:catalog.care', 'Wash', value));
  expect(outcomes).toMatchObject([{ outcome: 'refused' }]);
  expect(shop.products.get(id)?.meta).toEqual(meta);
});

it('meta data that an attribute of the settings names is read under the name that it is written by, so that what was written is known again', async () => {
  const shop = await shopWith(1);
  const id = idIn(shop);
  const connector = connect(shop, { attributes: ['care.text', 'meta.catalog_fit'] });
  const place = { namespace: 'care', key: 'text', value: 'Wash' };
  await written(connector, id, write('metafield:care.text', 'Wash', null));
  await written(connector, id, write('metafield:meta.catalog_fit', 'Slim', null));
  expect(shop.products.get(id)?.meta.map(({ key }) => key)).toEqual(['care_text', 'catalog_fit']);
  const { products } = await whole(connector);
  expect(products[0]?.metafields).toEqual([
    expect.objectContaining(place),
    expect.objectContaining({ namespace: 'meta', key: 'catalog_fit', value: 'Slim' }),
  ]);
  expect(await valueIn(connector, id, 'metafield:care.text')).toMatchObject({ value: 'Wash' });
});

it.each(['wp.care', 'meta.attribute_care', 'attribute.care', 'meta._product_attributes'])(
  'a meta key that the shop hides is not written: %s',
  async (name) => {
    const shop = await shopWith(1);
    const id = idIn(shop);
    const outcomes = await written(connect(shop), id, write(`metafield:${name}`, 'Wash', null));
    expect(outcomes).toMatchObject([{ outcome: 'refused' }]);
    expect(requests(shop, 'PUT')).toBe(0);
  },
);

it.each([
  ['keeps a product for each language is reported', 'polylang/polylang.php', true],
  ['translates texts in their place is not', 'translatepress-multilingual/index.php', false],
])('a plugin that %s', async (_what, plugin, isReported) => {
  const shop = await shopWith(0, { plugins: [plugin] });
  const findings = await (await connect(shop).probe()).findings();
  expect(findings.some(({ level, what }) => level === 'warn' && what === 'languages')).toBe(isReported);
});

it('search engine texts that a former plugin left do not stand for those of the active one', async () => {
  const shop = await shopWith(1, { plugins: ['seo-by-rank-math/rank-math.php'] });
  const id = idIn(shop);
  shop.products.edit(id, { meta: { _yoast_wpseo_title: 'Left by Yoast' } });
  const connector = connect(shop);
  expect(await valueIn(connector, id, 'seo.title')).toMatchObject({ value: null });
  await written(connector, id, write('seo.title', 'For search', null));
  expect(await valueIn(connector, id, 'seo.title')).toMatchObject({ value: 'For search' });
  expect((await whole(connector)).products[0]?.seoTitle).toBe('For search');
});

it('a shop whose clock is behind is asked for changes by its own clock', async () => {
  const shop = await shopWith(1, { clock: () => new Date(Date.now() - 10 * 60_000) });
  const connector = connect(shop);
  await connector.probe();
  const changed: string[] = [];
  for await (const some of connector.readChanged(new Date(Date.now() - 60_000)))
    changed.push(...some.map(({ storeId }) => storeId));
  expect(changed).toEqual([String(idIn(shop))]);
});

describe('a product with data that nobody expects', () => {
  it.each<[string, object]>([
    ['no description', { description: null }],
    ['an image without an address', { images: [{ id: 1, src: false, alt: '' }] }],
    ['categories that are an object', { categories: { 0: { id: 15, name: 'A', slug: 'a' } } }],
    ['a tag without a name', { tags: [{ id: 4, name: null, slug: '' }] }],
    ['meta data that is an object', { meta_data: { 0: { id: 1, key: 'a', value: 'b' } } }],
  ])('is not understood, and stops none of the others: %s', async (_what, fields) => {
    const shop = await shopWith(3);
    const odd = shop.products.list()[1]!.id;
    alterProduct(shop, odd, fields);
    const found = await sources(connect(shop));
    expect(found).toHaveLength(3);
    for (const source of found) {
      if (source.storeId === String(odd)) expect(() => source.snapshot()).toThrow(/unexpected data/);
      else expect(source.snapshot().title).toMatch(/^P[13]$/);
    }
  });

  it('is read without a time of its last change, as imports leave it, and with a meta entry without a key', async () => {
    const shop = await shopWith(1);
    alterProduct(shop, idIn(shop), {
      date_modified_gmt: null,
      meta_data: [
        { id: 1, key: null, value: 'x' },
        { id: 2, key: 'fit', value: 'Slim' },
      ],
    });
    const { products } = await whole(connect(shop));
    expect(products[0]?.metafields).toContainEqual(expect.objectContaining({ key: 'fit', value: 'Slim' }));
  });

  it('has no characters that no database takes', async () => {
    const shop = await shopWith(1);
    const id = idIn(shop);
    alterProduct(shop, id, { description: 'A\u0000B', meta_data: [{ id: 1, key: 'fit', value: 'S\u0000' }] });
    const connector = connect(shop);
    const { products } = await whole(connector);
    const read = [products[0], await connector.readTargets(String(id), ['descriptionHtml'])];
    for (const text of read.map((each) => JSON.stringify(each, textsOfMaps)))
      expect(text).not.toMatch(/\\u0000/);
  });

  it('is not understood with a variation of that kind', async () => {
    const shop = await shopWith(1);
    const parent = shop.products.create({ type: 'variable', row: { name: 'Shirt' } });
    shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'S' } });
    shop.alter((reply, { path }) =>
      path === 'wc/v3/variations' && Array.isArray(reply.body)
        ? { ...reply, body: reply.body.map((row: object) => ({ ...row, attributes: null })) }
        : reply,
    );
    const [simple, variable] = await sources(connect(shop));
    expect(simple?.snapshot().title).toBe('P1');
    expect(() => variable?.snapshot()).toThrow(/unexpected data/);
  });
});

describe('a product in a status that no list shows', () => {
  it('is not gone', async () => {
    const shop = await shopWith(3);
    const [archived, trashed, deleted] = shop.products.list().map(({ id }) => id) as [number, number, number];
    shop.products.edit(archived, { status: 'archived' });
    shop.products.trash(trashed);
    shop.products.delete(deleted);
    const read = await connect(shop).readProducts([archived, trashed, deleted].map(String));
    expect(read.map((product) => product?.storeId ?? null)).toEqual([String(archived), null, null]);
    expect(read[0]?.snapshot()).toMatchObject({ status: 'DRAFT', title: 'P1' });
  });

  it('is no product when it is a variation', async () => {
    const shop = await shopWith(0);
    const parent = shop.products.create({ type: 'variable', row: { name: 'Shirt' } });
    const { id } = shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'S' } });
    expect(await connect(shop).readProducts([String(id)])).toEqual([null]);
  });
});

it('a shop that shows its index to nobody is usable with a key', async () => {
  const shop = await shopWith(1);
  shop.alter((reply, { path }) =>
    path === '' && shop.requests.length > 0
      ? { status: 401, body: { code: 'rest_login_required', message: 'REST API restricted.', data: null } }
      : reply,
  );
  const connector = connect(shop);
  await connector.count();
  expect(await connector.probe()).toMatchObject({ mayWriteProducts: true, name: '' });
});

it.each([
  '<video controls><source src="https://cdn.example/a.mp4" type="video/mp4"></video>',
  '<picture><source srcset="https://cdn.example/a.webp"><img src="https://cdn.example/a.png"></picture>',
])('a media element that the shop’s API would empty stays: %s', async (description) => {
  const shop = await shopWith(0);
  const { id } = shop.products.create({ row: { name: 'One', description } });
  const outcomes = await written(connect(shop), id, write('descriptionHtml', '<p>New</p>', description));
  expect(outcomes).toMatchObject([{ outcome: 'changed_meanwhile' }]);
  expect(requests(shop, 'PUT')).toBe(0);
});

it('a product whose variations the shop does not list is not understood, and does not lose them', async () => {
  const shop = await shopWith(0);
  const parent = shop.products.create({ type: 'variable', row: { name: 'Shirt' } });
  const { id } = shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'S' } });
  shop.alter((reply, { path }) =>
    path === 'wc/v3/variations' ? { status: 200, body: [], total: 0, pages: 0 } : reply,
  );
  const [variable] = await sources(connect(shop));
  expect(() => variable?.snapshot()).toThrow(`does not list its variations ${String(id)}`);
});

it('a category that is new has its full name at once', async () => {
  const shop = await shopWith(1);
  const id = idIn(shop);
  const connector = connect(shop);
  await whole(connector);
  const { id: category } = shop.shop.categoryPath('Clothing > Shirts');
  shop.products.edit(id, { categories: [category] });
  expect((await whole(connector)).products[0]?.category).toBe('Clothing > Shirts');
});

it('a category that the shop does not list, as of another language goes by its own name, and is looked for once', async () => {
  const shop = await shopWith(1);
  alterProduct(shop, idIn(shop), { categories: [{ id: 4711, name: 'Hemden', slug: 'hemden' }] });
  const connector = connect(shop);
  for (let read = 0; read < 3; read += 1)
    expect((await whole(connector)).products[0]?.category).toBe('Hemden');
  const lists = shop.requests.filter(({ path }) => path === 'wc/v3/products/categories');
  expect(lists).toHaveLength(2);
});

it('a shop without a readable address of its own is an answer that nobody understands', async () => {
  const shop = await shopWith(0);
  shop.shop.homeUrl = '//shop.example';
  await expect(connect(shop).probe()).rejects.toMatchObject({ code: 'transient' });
});
