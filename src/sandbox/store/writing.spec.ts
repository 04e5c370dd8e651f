import { afterEach, describe, expect, it } from '@jest/globals';
import { isMetafieldType, normaliseMetafieldValue } from './metafield-values.js';
import { normaliseHtml } from './product-html.js';
import {
  TestClock,
  call,
  csv,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';
import type { UserError } from '../../../test/support/sandbox/store-caller.js';
import type { TestStore } from '../../../test/support/sandbox/test-store.js';

const ID = 'gid://shopify/Product/8000000000001';
const TEXT = 'single_line_text_field';

afterEach(stopSandboxes);

async function shop(clock = new TestClock()): Promise<TestStore> {
  const store = await sandbox({ clock: clock.now });
  store.loadCsv(productsCsv(2));
  return store;
}

/** The payload of one mutation. */
async function run<Payload>(store: TestStore, mutation: string, variables: object): Promise<Payload> {
  const { body } = await call<Record<string, Payload>>(store, mutation, { ...variables });
  const [payload] = Object.values(body.data);
  if (!payload) throw new Error(JSON.stringify(body.errors));
  return payload;
}

describe('productUpdate', () => {
  const UPDATE = `mutation U($product: ProductUpdateInput!) { productUpdate(product: $product) {
    product { title descriptionHtml vendor seo { title description } updatedAt } userErrors { field message } } }`;
  interface Payload {
    readonly product: Readonly<Record<string, unknown>> | null;
    readonly userErrors: readonly UserError[];
  }
  const update = (store: TestStore, fields: object): Promise<Payload> =>
    run(store, UPDATE, { product: { id: ID, ...fields } });

  const TOO_LONG = 'x'.repeat(256);
  it.each([
    [{ title: '' }, ['title']],
    [{ title: TOO_LONG }, ['title']],
    [{ vendor: TOO_LONG }, ['vendor']],
    [{ productType: TOO_LONG }, ['productType', 'customProductType']],
  ])('refuses %j whole and answers with the unchanged product', async (fields, refused) => {
    const store = await shop();
    const before = store.products.get(ID);
    const { product, userErrors } = await update(store, { descriptionHtml: '<p>kept out</p>', ...fields });
    expect(product).toMatchObject({ title: 'Product 1', descriptionHtml: '' });
    expect(userErrors.map(({ field }) => field)).toEqual(refused.map((field) => [field]));
    expect(store.products.get(ID)).toBe(before);
  });
});

it('tags are trimmed, keep their first spelling, and are sorted, added and removed regardless of case', async () => {
  const store = await shop();
  const change = (name: string, tags: string[]): Promise<unknown> =>
    run(
      store,
      `mutation T($id: ID!, $tags: [String!]!) { ${name}(id: $id, tags: $tags) { userErrors { message } } }`,
      {
        id: ID,
        tags,
      },
    );
  await change('tagsAdd', [' wool ', 'Autumn', 'WOOL', 'two  words', '']);
  expect(store.products.get(ID)?.tags).toEqual(['Autumn', 'two  words', 'wool']);
  await change('tagsAdd', ['AUTUMN']);
  await change('tagsRemove', ['autumn']);
  expect(store.products.get(ID)?.tags).toEqual(['two  words', 'wool']);
});

it.each([
  ['<P CLASS=x>Wool<BR/>Hat</P>', '<p class="x">Wool<br>Hat</p>'],
  ['  <p>a</p>\n', '<p>a</p>'],
  ['<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
  ['a&nbsp;b &eacute; &amp; &lt;', 'a&nbsp;b é &amp; &lt;'],
  ['<img src=a.jpg alt=\'x "y"\' />', '<img src="a.jpg" alt="x &quot;y&quot;">'],
  ['<script>t("x")</script><p onclick="y()">z</p>', '<script>t("x")</script><p onclick="y()">z</p>'],
])('HTML %j is given back as %j', (given, stored) => {
  expect(normaliseHtml(given)).toBe(stored);
});

describe('metafields', () => {
  const SET = `mutation S($metafields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $metafields) {
    metafields { value compareDigest } userErrors { field code elementIndex } } }`;
  interface Payload {
    readonly metafields: readonly { readonly value: string; readonly compareDigest: string }[] | null;
    readonly userErrors: readonly UserError[];
  }
  const entry = (fields: object = {}): object => {
    return { ownerId: ID, namespace: 'catalog', key: 'fit', type: TEXT, value: 'Slim', ...fields };
  };
  const set = (store: TestStore, ...metafields: object[]): Promise<Payload> =>
    run(store, SET, { metafields });
  const stored = (store: TestStore): string[] =>
    (store.products.get(ID)?.metafields ?? []).map(({ key, value }) => `${key} ${value}`);

  it('are written all or none', async () => {
    const store = await shop();
    expect(
      await set(store, entry(), entry({ key: 'height', type: 'number_integer', value: 'tall' })),
    ).toEqual({
      metafields: [],
      userErrors: [{ field: ['metafields', '1', 'value'], code: 'INVALID_VALUE', elementIndex: null }],
    });
    const many = Array.from({ length: 26 }, (_, index) => entry({ key: `key_${index}` }));
    expect(await set(store, ...many)).toMatchObject({
      metafields: null,
      userErrors: [{ field: ['metafields'] }],
    });
    expect(stored(store)).toEqual([]);
  });

  it('are guarded by a digest, which depends on the content alone', async () => {
    const store = await shop();
    const [first] = (await set(store, entry())).metafields ?? [];
    const before = store.products.get(ID);
    // The present value passes with any digest, and changes nothing.
    expect((await set(store, entry({ compareDigest: 'nonsense' }))).userErrors).toEqual([]);
    expect(store.products.get(ID)).toBe(before);
    for (const compareDigest of ['0'.repeat(64), null]) {
      const { userErrors } = await set(
        store,
        entry({ key: 'other' }),
        entry({ value: 'Wide', compareDigest }),
      );
      expect(userErrors).toMatchObject([{ field: ['metafields', '1'], code: 'STALE_OBJECT' }]);
    }
    const absent = await set(store, entry({ key: 'other', compareDigest: '0'.repeat(64) }));
    expect(absent.userErrors).toMatchObject([{ code: 'INVALID_COMPARE_DIGEST' }]);
    // From A to B and back to A goes unnoticed.
    await set(store, entry({ value: 'Wide' }));
    await set(store, entry());
    const last = await set(store, entry({ value: 'Narrow', compareDigest: first?.compareDigest }));
    expect([last.userErrors, stored(store)]).toEqual([[], ['fit Narrow']]);
  });

  it.each([
    ['boolean', 'true', 'true'],
    ['number_integer', '5.0', '5'],
    ['number_decimal', '1.1234567891', '1.123456789'],
    ['number_decimal', '7', '7.0'],
    ['dimension', '{"value":25,"unit":"cm"}', '{"value":25.0,"unit":"CM"}'],
    [TEXT, '  spaced  ', '  spaced  '],
    ['json', '{"b":1,"a":[2]}', '{"b":1,"a":[2]}'],
    ['list.number_integer', '[1, "2.0"]', '[1,"2"]'],
  ])('of the type %s with the value %s are stored as %s', (type, given, value) => {
    expect(isMetafieldType(type)).toBe(true);
    expect(normaliseMetafieldValue(type, given)).toBe(value);
  });

  it.each([
    ['number_integer', '5.5'],
    ['number_decimal', 'a lot'],
    ['json', '{nope'],
    ['dimension', '{"value":1,"unit":"KG"}'],
    [TEXT, 'two\nlines'],
    ['list.number_integer', '[1.5]'],
  ])('of the type %s do not take the value %j', (type, given) => {
    expect(normaliseMetafieldValue(type, given)).toBeNull();
  });
});

it('a product of the same handle is overwritten when an export is loaded again, keeping the ids', async () => {
  const store = await sandbox();
  const rows = (title: string): string => csv({ Handle: 'a', Title: title }, { Handle: 'b', Title: 'Other' });
  const [before] = store.loadCsv(rows('Before'));
  const [after] = store.loadCsv(rows('After'));
  expect(after).toMatchObject({
    id: before!.id,
    title: 'After',
    variants: [{ id: before!.variants[0]!.id }],
  });
  expect(store.products.list()).toHaveLength(2);
});
