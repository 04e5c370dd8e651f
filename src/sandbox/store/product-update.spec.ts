import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normaliseHtml } from './product-html.js';
import type { RunningStoreSandbox } from './index.js';
import {
  TestClock,
  call,
  csv,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';
import type { UserError } from '../../../test/support/sandbox/store-caller.js';

const UPDATE = `mutation U($product: ProductUpdateInput!) { productUpdate(product: $product) {
  product { id title handle descriptionHtml vendor productType tags status seo { title description } updatedAt } userErrors { field message } } }`;
const ID = 'gid://shopify/Product/8000000000001';

interface Payload {
  readonly product: Readonly<Record<'title' | 'handle' | 'descriptionHtml' | 'updatedAt', string>> & {
    readonly tags: string[];
  };
  readonly userErrors: readonly UserError[];
}

async function update(store: RunningStoreSandbox, product: Record<string, unknown>): Promise<Payload> {
  return (await call<{ productUpdate: Payload }>(store, UPDATE, { product: { id: ID, ...product } })).body
    .data.productUpdate;
}

async function shop(clock = new TestClock()): Promise<RunningStoreSandbox> {
  const store = await sandbox({ clock: clock.now });
  store.loadCsv(productsCsv(2));
  return store;
}

afterEach(stopSandboxes);

describe('productCreate and productDelete', () => {
  it('make a product with a handle of its own, and remove it', async () => {
    const store = await shop();
    const create = async (title: string) => {
      const mutation = `mutation { productCreate(product: { title: "${title}", descriptionHtml: "<P>a" }) { product { id handle descriptionHtml } userErrors { message } } }`;
      const { body } = await call<{ productCreate: Payload & { product: { id: string } | null } }>(
        store,
        mutation,
      );
      return body.data.productCreate;
    };
    const first = await create('Jar');
    expect([first, await create('Jar')]).toMatchObject([
      { product: { handle: 'jar', descriptionHtml: '<p>a</p>' }, userErrors: [] },
      { product: { handle: 'jar-1' } },
    ]);
    expect(await create(' ')).toMatchObject({
      product: null,
      userErrors: [{ message: "Title can't be blank" }],
    });
    const remove = `mutation { productDelete(input: { id: "${first.product.id}" }) { deletedProductId userErrors { message } } }`;
    expect((await call(store, remove)).body.data).toEqual({
      productDelete: { deletedProductId: first.product.id, userErrors: [] },
    });
    expect((await call(store, remove)).body.data).toMatchObject({
      productDelete: { userErrors: [{ message: 'Product does not exist' }] },
    });
  });
});

describe('productUpdate', () => {
  it('writes the given fields, leaves the others, and answers with the stored values', async () => {
    const store = await shop();
    await update(store, { seo: { title: 'T', description: 'D' }, vendor: 'Norrby' });
    const { product, userErrors } = await update(store, {
      title: 'New',
      seo: { title: '' },
      status: 'DRAFT',
    });
    expect(userErrors).toEqual([]);
    expect(product).toMatchObject({
      title: 'New',
      vendor: 'Norrby',
      status: 'DRAFT',
      handle: 'product-1',
      seo: { title: null, description: 'D' },
    });
  });

  it.each([
    [{ title: '' }, [{ field: ['title'], message: "Title can't be blank" }]],
    [
      { title: 'x'.repeat(256) },
      [{ field: ['title'], message: 'Title is too long (maximum is 255 characters)' }],
    ],
    [
      { vendor: 'x'.repeat(256) },
      [{ field: ['vendor'], message: 'Vendor is too long (maximum is 255 characters)' }],
    ],
    [
      { productType: 'x'.repeat(256) },
      [
        { field: ['productType'], message: 'Product type is too long (maximum is 255 characters)' },
        {
          field: ['customProductType'],
          message: 'Custom product type is too long (maximum is 255 characters)',
        },
      ],
    ],
    [{ tags: ['x'.repeat(256)] }, [{ field: ['tags'], message: 'Product tags is invalid' }]],
    [
      { handle: 'product-2' },
      [
        {
          field: ['input', 'handle'],
          message: "Handle 'product-2' already in use. Please provide a new handle.",
        },
      ],
    ],
    [
      { metafields: [{ namespace: 'catalog', key: 'n', type: 'number_integer', value: 'x' }] },
      [{ field: ['metafields', '0', 'key'], message: 'Key is too short (minimum is 2 characters)' }],
    ],
  ])('refuses %j whole and answers with the unchanged product', async (fields, userErrors) => {
    const store = await shop();
    const before = store.products.get(ID);
    const answer = await update(store, { descriptionHtml: '<p>kept out</p>', ...fields });
    expect(answer).toEqual({
      product: expect.objectContaining({ title: 'Product 1', descriptionHtml: '' }),
      userErrors,
    });
    expect(store.products.get(ID)).toBe(before);
  });

  it('takes a title of exactly 255 characters', async () => {
    expect((await update(await shop(), { title: 'x'.repeat(255) })).userErrors).toEqual([]);
  });

  it.each([{ id: 'gid://shopify/Product/1' }, { id: null }])(
    'answers null and a user error for %j',
    async (fields) => {
      expect(await update(await shop(), { title: 'Ghost', ...fields })).toEqual({
        product: null,
        userErrors: [{ field: ['id'], message: 'Product does not exist' }],
      });
    },
  );

  it('answers an unknown category with a top-level error', async () => {
    const product = { id: ID, category: 'gid://shopify/TaxonomyCategory/none' };
    const { body } = await call(await shop(), UPDATE, { product });
    expect(body.data).toEqual({ productUpdate: null });
    expect(body.errors?.[0]?.extensions.code).toBe('INVALID_PRODUCT_TAXONOMY_NODE_ID');
  });

  it('answers more than 250 tags with MAX_INPUT_SIZE_EXCEEDED and no data', async () => {
    const product = { id: ID, tags: Array.from({ length: 251 }, (_, index) => `t${index}`) };
    const { body } = await call(await shop(), UPDATE, { product });
    expect(body).toEqual({
      errors: [
        expect.objectContaining({
          message: 'The input array size of 251 is greater than the maximum allowed of 250.',
          path: ['productUpdate', 'product', 'tags'],
          extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' },
        }),
      ],
    });
  });

  it('trims tags, keeps the first spelling, and sorts them regardless of case', async () => {
    const { product } = await update(await shop(), { tags: [' wool ', 'Autumn', 'WOOL', 'two  words', ''] });
    expect(product.tags).toEqual(['Autumn', 'two  words', 'wool']);
  });

  it.each([
    ['  Mixed CASE/ Weird 200 % ', 'mixed-case-weird-200'],
    ['   ', 'product-1'],
    ['%%%', 'product'],
    ['Größe 雪', 'größe-雪'],
  ])('makes of the handle %j %j', async (handle, expected) => {
    expect((await update(await shop(), { handle })).product.handle).toBe(expected);
  });

  it('moves updatedAt only when something changes', async () => {
    const clock = new TestClock();
    const store = await shop(clock);
    clock.advance(60_000);
    expect((await update(store, { title: 'Product 1' })).product.updatedAt).toBe('2026-11-19T12:00:00Z');
    expect((await update(store, { title: 'Changed' })).product.updatedAt).toBe('2026-11-19T12:01:00Z');
  });

  it('may move updatedAt again, seconds after the answer', async () => {
    const clock = new TestClock();
    const store = await sandbox({ clock: clock.now, updatedAtLagMs: 8000 });
    store.loadCsv(productsCsv(1));
    const read = async (): Promise<string> =>
      (await call<{ product: { updatedAt: string } }>(store, `{ product(id: "${ID}") { updatedAt } }`)).body
        .data.product.updatedAt;
    expect((await update(store, { title: 'Changed' })).product.updatedAt).toBe('2026-11-19T12:00:00Z');
    expect(await read()).toBe('2026-11-19T12:00:00Z');
    clock.advance(8000);
    expect(await read()).toBe('2026-11-19T12:00:08Z');
  });

  it('stands in the ledger with input and result, the refused one too', async () => {
    const store = await shop();
    await update(store, { title: 'New' });
    await update(store, { title: '' });
    expect(store.ledger.mutations).toMatchObject([
      { name: 'productUpdate', input: { product: { id: ID, title: 'New' } }, result: { userErrors: [] } },
      {
        name: 'productUpdate',
        input: { product: { title: '' } },
        result: { userErrors: [{ field: ['title'] }] },
      },
    ]);
    expect(store.ledger.requests.map((request) => request.operationName)).toEqual(['U', 'U']);
  });
});

describe('tags', () => {
  it('are added and removed regardless of case', async () => {
    const store = await shop();
    const run = async (name: string, tags: string[]): Promise<void> => {
      await call(
        store,
        `mutation T($id: ID!, $tags: [String!]!) { ${name}(id: $id, tags: $tags) { node { id } userErrors { message } } }`,
        { id: ID, tags },
      );
    };
    await run('tagsAdd', ['b', 'A']);
    await run('tagsAdd', ['B', 'c']);
    await run('tagsRemove', ['a']);
    expect(store.products.get(ID)?.tags).toEqual(['b', 'c']);
  });
});

describe('HTML', () => {
  it.each([
    ['<P CLASS=x>Wool<BR/>Hat</P>', '<p class="x">Wool<br>Hat</p>'],
    ['  <p>a</p>\n', '<p>a</p>'],
    ['<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
    ['a&nbsp;b &eacute; &amp; &lt;', 'a&nbsp;b é &amp; &lt;'],
    ['a < b', 'a &lt; b'],
    ['<p>plain</p>', '<p>plain</p>'],
    ['<img src=a.jpg alt=\'x "y"\' />', '<img src="a.jpg" alt="x &quot;y&quot;">'],
    [
      '<script>track("x")</script><p onclick="y()">z</p>',
      '<script>track("x")</script><p onclick="y()">z</p>',
    ],
    ['日本語 <b>العربية</b> 🎉', '日本語 <b>العربية</b> 🎉'],
  ])('%j is given back as %j', async (given, stored) => {
    const store = await shop();
    expect((await update(store, { descriptionHtml: given })).product.descriptionHtml).toBe(stored);
  });

  it('is stable: what was given back comes back as it is', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<br/>',
      '<BR>',
      '<li>',
      '<b>',
      '</b>',
      'text',
      ' ',
      '&nbsp;',
      '&',
      '<',
      '"',
      '<img src=x>',
      '<!-- c -->',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = normaliseHtml(pieces.join(''));
        expect(normaliseHtml(once)).toBe(once);
      }),
    );
  });
});

describe("the merchant's side", () => {
  it('edits, archives and deletes beside the API, and leaves no trace in the ledger', async () => {
    const store = await shop();
    const product = store.products.merchantEdit(ID, {
      title: 'By hand',
      variants: [{ id: store.products.get(ID)!.variants[0]!.id, sku: 'NEW' }],
    });
    expect([product.title, product.variants[0]?.sku]).toEqual(['By hand', 'NEW']);
    expect(store.products.archive(ID).status).toBe('ARCHIVED');
    store.products.delete(ID);
    expect(store.products.get(ID)).toBeUndefined();
    expect((await call(store, `{ product(id: "${ID}") { id } }`)).body.data.product).toBeNull();
    expect(store.ledger.mutations).toEqual([]);
    expect(() => store.products.delete(ID)).toThrow('the shop has no product');
  });

  it('refuses what the store would refuse', async () => {
    const store = await shop();
    expect(() => store.products.merchantEdit(ID, { title: '' })).toThrow("Title can't be blank");
  });

  it('overwrites a product of the same handle when an export is loaded again, keeping the ids', async () => {
    const store = await sandbox();
    const rows = (title: string): string =>
      csv(
        { Handle: 'a', Title: title, 'Option1 Name': 'Size', 'Option1 Value': 'S' },
        { Handle: 'a', Title: '', 'Option1 Name': '', 'Option1 Value': 'M' },
      );
    const [before] = store.loadCsv(rows('Before'));
    const [after] = store.loadCsv(rows('After'));
    expect(after).toMatchObject({ id: before!.id, title: 'After', options: before!.options });
    expect(after!.variants.map((variant) => variant.id)).toEqual(
      before!.variants.map((variant) => variant.id),
    );
    expect(store.products.list()).toHaveLength(1);
  });
});
