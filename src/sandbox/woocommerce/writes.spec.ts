import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { TestClock } from '../../../test/support/sandbox/store-caller.js';
import { ask, stopWooSandboxes, wooSandbox } from '../../../test/support/sandbox/woocommerce-caller.js';
import type { Answer, CallOptions } from '../../../test/support/sandbox/woocommerce-caller.js';

const clock = new TestClock();
let shop: TestShop;
let id: number;

beforeEach(async () => {
  shop = await wooSandbox({ clock: clock.now });
  ({ id } = shop.products.create({
    row: { name: 'P', description: 'a', shortDescription: 's' },
    sku: 'A',
    regularPrice: '5',
  }));
  clock.advance(5000);
});
afterEach(stopWooSandboxes);

function put(body: unknown, options: CallOptions = {}, path = `products/${id}`): Promise<Answer> {
  return ask(shop, 'PUT', path, { body, ...options });
}
const modified = (of = id): number | undefined => shop.products.get(of)?.modifiedAt.getTime();
const row = (of = id) => shop.products.get(of)!.row;

describe('a write of texts', () => {
  it('answers what is kept, in edit, whatever context was asked for (B4, C1)', async () => {
    const answer = await put(
      { description: 'a\n\n<script>b</script> & c' },
      { query: { context: 'view', _fields: 'description' } },
    );
    expect(answer).toMatchObject({ status: 200, body: { description: 'a\n\nb &amp; c' } });
  });

  it.each(['name', 'slug', 'menu_order'])(
    'of %s takes a level of backslashes from the texts that it does not name (C3)',
    async (field) => {
      shop.products.edit(id, { description: '{"html":"\\u003cb"}', shortDescription: 'C:\\\\x' });
      await put({ [field]: field === 'menu_order' ? 3 : 'other' });
      expect(row()).toMatchObject({ description: '{"html":"u003cb"}', shortDescription: 'C:\\x' });
    },
  );

  it.each<[string, object]>([
    ['price', { regular_price: '7' }],
    ['stock', { manage_stock: true, stock_quantity: 4 }],
    ['meta', { meta_data: [{ key: 'k', value: 'v' }] }],
    ['terms', { tags: [{ name: 'T' }] }],
  ])('of %s alone leaves backslashes alone (C3)', async (_kind, body) => {
    shop.products.edit(id, { description: 'C:\\x' });
    await put(body);
    expect(row().description).toBe('C:\\x');
  });

  it('keeps scripts and frames in texts that it does not name (C3)', async () => {
    shop.products.edit(id, { description: '<script>x</script><iframe></iframe>' });
    await put({ name: 'other' });
    expect(row().description).toBe('<script>x</script><iframe></iframe>');
  });

  it('empties one text, and changes nothing when it empties all (C4)', async () => {
    await put({ description: '', short_description: null });
    expect(row()).toMatchObject({ name: 'P', description: '', shortDescription: '' });
    const answer = await put({ name: '', description: '', short_description: '' });
    expect([answer.status, row().name]).toEqual([200, 'P']);
    await put({ description: 'x' });
    await put({ name: '' });
    expect(row().name).toBe('');
  });

  it('may be by PATCH or POST, not without an id, and its body is not read with another content type (A6)', async () => {
    for (const method of ['PATCH', 'POST'])
      await ask(shop, method, `products/${id}`, { body: { name: method } });
    expect(row().name).toBe('POST');
    expect(await ask(shop, 'PUT', 'products', { body: {} })).toMatchObject({
      status: 404,
      body: { code: 'rest_no_route' },
    });
    const before = modified();
    clock.advance(1000);
    expect((await put('{"name":"x"}', { headers: { 'content-type': 'text/plain' } })).status).toBe(200);
    expect([row().name, modified() === before]).toEqual(['POST', false]);
  });

  it('keeps the slug when the name changes, and makes a taken slug unique', async () => {
    shop.products.create({ row: { name: 'other' } });
    await put({ name: 'New' });
    expect(row().slug).toBe('p');
    await put({ slug: 'other' });
    expect(row().slug).toBe('other-2');
  });
});

describe('a write of values', () => {
  it('keeps other values than were sent, without a word (C6)', async () => {
    const { body } = await put({
      regular_price: '10,50',
      weight: '1,5',
      global_unique_id: 'AB12',
      unknown: 1,
    });
    expect(body).toMatchObject({ regular_price: '1050', weight: '15', global_unique_id: '12' });
  });

  it.each<[string, object, string]>([
    ['a wrong type', { name: 5, regular_price: 5 }, 'rest_invalid_type'],
    ['a value that is not listed', { name: null, status: 'none', type: 'odd' }, 'rest_not_in_enum'],
  ])('refuses %s, naming all fields, and changes nothing (C14, C10)', async (_case, body, code) => {
    const before = modified();
    const answer = await put({ description: 'new', ...body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'rest_invalid_param' } });
    const { details } = answer.body['data'] as { details: object };
    expect(Object.values(details).map((detail) => (detail as { code: string }).code)).toEqual([code, code]);
    expect([row().description, modified()]).toEqual(['a', before]);
  });

  it('puts a product into the default category by a name or an unknown id, makes tags, and does not clear brands (C7)', async () => {
    const category = shop.shop.term('categories', 'C').id;
    const brand = shop.shop.term('brands', 'B').id;
    await put({ categories: [{ id: category }], brands: [{ id: brand }], tags: [{ name: 'T' }] });
    const named = await put({ categories: [{ name: 'C' }], brands: [] });
    expect(named.body).toMatchObject({
      categories: [{ name: 'Uncategorized' }],
      brands: [{ name: 'B' }],
      tags: [{ name: 'T' }],
    });
    expect((await put({ categories: [{ id: 999_999 }] })).body).toMatchObject({
      categories: [{ name: 'Uncategorized' }],
    });
  });
});

describe('the time of a change', () => {
  it.each<[string, object]>([
    ['an empty body', {}],
    ['the same value', { name: 'P' }],
    ['an unknown field', { nothing: 1 }],
  ])('moves with %s (C10)', async (_case, body) => {
    const before = modified()!;
    await put(body);
    expect(modified()).toBeGreaterThan(before);
  });

  it('moves for the parent with a variation, not for variations with the parent (C11)', async () => {
    const parent = shop.products.create({ type: 'variable', row: { name: 'V' } }).id;
    const created = await ask(shop, 'POST', `products/${parent}/variations`, {
      body: { regular_price: '1' },
    });
    const own = Number(created.body['id']);
    clock.advance(1000);
    await put({ regular_price: '2' }, {}, `products/${parent}/variations/${own}`);
    expect(modified(parent)).toBe(modified(own));
    clock.advance(1000);
    await put({ name: 'W' }, {}, `products/${parent}`);
    expect(modified(parent)).toBeGreaterThan(modified(own)!);
  });

  it('moves with an order of managed stock, not with another order, a plugin or a renamed term (C10)', async () => {
    const before = modified();
    const category = shop.shop.term('categories', 'C').id;
    shop.products.order(id);
    shop.products.pluginMeta(id, 'k', 'v');
    shop.shop.renameTerm(category, 'D');
    expect(modified()).toBe(before);
    shop.products.edit(id, { manageStock: true, stockQuantity: 4 });
    const managed = modified()!;
    clock.advance(1000);
    shop.products.order(id);
    expect(modified()).toBeGreaterThan(managed);
  });
});

describe('two writes at once', () => {
  it('lose one of two texts, and neither of a text and a meta value (C12)', async () => {
    const slow = await wooSandbox({ writeMs: 30 });
    const own = slow.products.create({ row: { name: 'P', description: 'a' } }).id;
    const write = (body: object) => ask(slow, 'PUT', `products/${own}`, { body });
    await Promise.all([write({ name: 'N' }), write({ description: 'D' })]);
    const { name, description } = slow.products.get(own)!.row;
    expect([`${name}${description}`]).not.toEqual(['ND']);
    await Promise.all([write({ name: 'X' }), write({ meta_data: [{ key: 'k', value: 'v' }] })]);
    expect(slow.products.get(own)).toMatchObject({ row: { name: 'X' }, meta: [{ key: 'k', value: 'v' }] });
  });

  it('that create make as many products as there are requests (C13)', async () => {
    await Promise.all([1, 2].map(() => ask(shop, 'POST', 'products', { body: { name: 'Twice' } })));
    expect(shop.products.list().filter(({ row: { name } }) => name === 'Twice')).toHaveLength(2);
  });
});

describe('a refused write', () => {
  it.each<[string, string, string, unknown, number, string]>([
    ['broken JSON', 'PUT', 'products/1', '{', 400, 'rest_invalid_json'],
    ['a missing product by PUT', 'PUT', 'products/999', {}, 400, 'woocommerce_rest_product_invalid_id'],
    [
      'a missing product by GET',
      'GET',
      'products/999',
      undefined,
      404,
      'woocommerce_rest_product_invalid_id',
    ],
    [
      'a missing product by DELETE',
      'DELETE',
      'products/999',
      undefined,
      404,
      'woocommerce_rest_product_invalid_id',
    ],
    ['an unknown route', 'GET', 'nothing', undefined, 404, 'rest_no_route'],
  ])('of %s (C14)', async (_case, method, path, body, status, code) => {
    expect(await ask(shop, method, path, { body })).toMatchObject({
      status,
      body: { code, data: { status } },
    });
  });

  it('of a variation through its product’s route; it can be read there (C17)', async () => {
    const parent = shop.products.create({ type: 'variable', row: { name: 'V' } }).id;
    const own = shop.products.create({ type: 'variation', parentId: parent, row: { name: 'V' } }).id;
    expect((await ask(shop, 'GET', `products/${own}`)).body).toMatchObject({ type: 'variation' });
    expect(await put({ regular_price: '1' }, {}, `products/${own}`)).toMatchObject({
      status: 404,
      body: { code: 'woocommerce_rest_invalid_product_id' },
    });
  });
});

describe('a batch', () => {
  it('does its parts one by one, and answers 200 with the refused ones at their place (C15)', async () => {
    const body = {
      create: [{ name: 'N' }, { name: 'M', sku: 5 }],
      update: [
        { id: 999, name: 'x' },
        { id, name: 'U' },
      ],
    };
    const answer = await ask(shop, 'POST', 'products/batch', { body });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        create: [{ name: 'N' }, { id: 0, error: { code: 'rest_invalid_param' } }],
        update: [
          { id: 999, error: { code: 'woocommerce_rest_product_invalid_id' } },
          { id, name: 'U' },
        ],
      },
    });
  });

  it('takes a hundred parts, and deletes for good (C15)', async () => {
    const create = Array.from({ length: 101 }, (_, number) => ({ name: `N${number}` }));
    expect(await ask(shop, 'POST', 'products/batch', { body: { create } })).toMatchObject({
      status: 413,
      body: { code: 'woocommerce_rest_request_entity_too_large' },
    });
    await ask(shop, 'POST', 'products/batch', { body: { delete: [id] } });
    expect(shop.products.get(id)).toBeUndefined();
  });
});

describe('a delete', () => {
  it('goes to the trash, where the product can be read by id and comes back with its slug (C16)', async () => {
    expect((await ask(shop, 'DELETE', `products/${id}`)).status).toBe(200);
    expect((await ask(shop, 'GET', `products/${id}`)).body).toMatchObject({
      status: 'trash',
      slug: 'p__trashed',
      sku: 'A',
    });
    expect(await ask(shop, 'DELETE', `products/${id}`)).toMatchObject({
      status: 410,
      body: { code: 'woocommerce_rest_already_trashed' },
    });
    expect((await put({ status: 'publish' })).body).toMatchObject({ status: 'publish', slug: 'p' });
  });

  it('by force is for good (C16)', async () => {
    expect((await ask(shop, 'DELETE', `products/${id}`, { query: { force: 'true' } })).status).toBe(200);
    expect((await ask(shop, 'GET', `products/${id}`)).status).toBe(404);
  });

  it('of a variation takes it from its parent and from the lists', async () => {
    const parent = shop.products.create({ type: 'variable', row: { name: 'V' } }).id;
    const own = shop.products.create({ type: 'variation', parentId: parent, row: { name: 'V' } }).id;
    await ask(shop, 'DELETE', `products/${parent}/variations/${own}`);
    expect((await ask(shop, 'GET', `products/${parent}`)).body).toMatchObject({ variations: [] });
    expect((await ask(shop, 'GET', 'variations')).body).toEqual([]);
  });
});
