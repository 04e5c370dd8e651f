import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../../test/support/sandbox/store-caller.js';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { ask, stopWooSandboxes, wooSandbox } from '../../../test/support/sandbox/woocommerce-caller.js';
import type { Answer, CallOptions } from '../../../test/support/sandbox/woocommerce-caller.js';

const clock = new TestClock();
let shop: TestShop;
let id: number;

beforeEach(async () => {
  shop = await wooSandbox({ clock: clock.now });
  ({ id } = shop.products.create({ row: { name: 'P', description: 'a', shortDescription: 's' } }));
  clock.advance(5000);
});
afterEach(stopWooSandboxes);

function put(body: unknown, options: CallOptions = {}): Promise<Answer> {
  return ask(shop, 'PUT', `products/${id}`, { body, ...options });
}
const post = () => shop.products.get(id)!;

describe('a write of texts', () => {
  it('answers what is kept, in edit, whatever context was asked for (B4, C1)', async () => {
    const query = { context: 'view', _fields: 'description' };
    expect(await put({ description: 'a\n\n<script>b</script> & c' }, { query })).toMatchObject({
      status: 200,
      body: { description: 'a\n\nb &amp; c' },
    });
  });

  it('takes a level of backslashes from the texts that it does not name (C3)', async () => {
    shop.products.edit(id, { description: '{"html":"\\u003cb"}', shortDescription: 'C:\\\\x' });
    await put({ name: 'other' });
    expect(post().row).toMatchObject({ description: '{"html":"u003cb"}', shortDescription: 'C:\\x' });
  });

  it('keeps scripts and frames in texts that it does not name (C3)', async () => {
    shop.products.edit(id, { description: '<script>x</script><iframe></iframe>' });
    await put({ name: 'other' });
    expect(post().row.description).toBe('<script>x</script><iframe></iframe>');
  });
});

describe('a write of meta values', () => {
  const metaOf = (): unknown[] => post().meta.map(({ key, value }) => [key, value]);

  it('keeps them exactly and leaves backslashes of texts alone; null deletes (C3, C8)', async () => {
    shop.products.edit(id, { description: 'C:\\x' });
    const value = '<script>"\\</script>';
    await put({
      meta_data: [
        { key: 'a', value },
        { key: 'b', value: '1' },
      ],
    });
    expect([post().row.description, metaOf()]).toEqual([
      'C:\\x',
      [
        ['a', value],
        ['b', '1'],
      ],
    ]);
    await put({ meta_data: [{ key: 'a', value: null }] });
    expect(metaOf()).toEqual([['b', '1']]);
  });

  it('updates the first row of a key and deletes the others (C8)', async () => {
    const rows = ['1', '2', '3'].map((value) => shop.shop.newMeta('k', value));
    shop.shop.putSilently({ ...post(), meta: rows });
    await put({ meta_data: [{ key: 'k', value: 'one' }] });
    expect(post().meta).toEqual([{ ...rows[0], value: 'one' }]);
  });
});

it('the time of a change moves with an empty body and with the same value (C10)', async () => {
  for (const body of [{}, { name: 'P' }]) {
    clock.advance(1000);
    await put(body);
    expect(post().modifiedAt).toEqual(clock.now());
  }
});

it.each<[string, string, string, unknown, number, string]>([
  ['a missing product by PUT', 'PUT', 'products/999', {}, 400, 'woocommerce_rest_product_invalid_id'],
  ['a missing product by GET', 'GET', 'products/999', undefined, 404, 'woocommerce_rest_product_invalid_id'],
  ['an unknown route', 'GET', 'nothing', undefined, 404, 'rest_no_route'],
])('a request of %s is refused (C14)', async (_case, method, path, body, status, code) => {
  expect(await ask(shop, method, path, { body })).toMatchObject({ status, body: { code, data: { status } } });
});

it('a field that the sandbox does not have fails, and changes nothing', async () => {
  expect((await put({ name: 'New', regular_price: '1' })).status).toBe(500);
  expect(shop.internalErrors.splice(0)).toHaveLength(1);
  expect(post().row.name).toBe('P');
});
