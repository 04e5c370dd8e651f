import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { ask, stopWooSandboxes, wooSandbox } from '../../../test/support/sandbox/woocommerce-caller.js';
import type { Answer } from '../../../test/support/sandbox/woocommerce-caller.js';

let shop: TestShop;
let id: number;

beforeEach(async () => {
  shop = await wooSandbox();
  ({ id } = shop.products.create({ row: { name: 'P' } }));
});
afterEach(stopWooSandboxes);

function put(body: unknown): Promise<Answer> {
  return ask(shop, 'PUT', `products/${id}`, { body });
}

describe('meta values', () => {
  const metaOf = (): unknown[] => shop.products.get(id)!.meta.map(({ key, value }) => [key, value]);

  it('are kept exactly, numbers and booleans as text, and null deletes (C8)', async () => {
    const value = '<script>"\\</script>';
    await put({
      meta_data: [
        { key: 'a', value },
        { key: 'b', value: 5 },
        { key: 'c', value: true },
        { key: 'd', value: { x: [1] } },
      ],
    });
    expect(metaOf()).toEqual([
      ['a', value],
      ['b', '5'],
      ['c', '1'],
      ['d', { x: [1] }],
    ]);
    await put({
      meta_data: [
        { key: 'a', value: null },
        { key: 'b', value: '1' },
        { key: 'b', value: '2' },
      ],
    });
    await put({ meta_data: [] });
    expect(metaOf()).toEqual([
      ['b', '2'],
      ['c', '1'],
      ['d', { x: [1] }],
    ]);
  });

  it('by key update the first row and delete the others; by id one row alone (C8)', async () => {
    const rows = [1, 2, 3].map((value) => shop.shop.newMeta('k', String(value)));
    shop.shop.putSilently({ ...shop.products.get(id)!, meta: rows });
    await put({ meta_data: [{ id: rows[1]!.id, key: 'renamed', value: 'x' }] });
    expect(metaOf()).toEqual([
      ['k', '1'],
      ['renamed', 'x'],
      ['k', '3'],
    ]);
    await put({ meta_data: [{ key: 'k', value: 'one' }] });
    expect(metaOf()).toEqual([
      ['k', 'one'],
      ['renamed', 'x'],
    ]);
  });

  it('of the shop’s own keys are hidden in the answer and carried out (C9)', async () => {
    const own = shop.shop;
    own.putSilently({
      ...shop.products.get(id)!,
      attributes: [{ id: 0, name: 'A', visible: true, variation: false, options: [] }],
    });
    const { body } = await put({
      meta_data: [
        { key: '_product_attributes', value: 'x' },
        { key: '_edit_lock', value: '1:2' },
      ],
    });
    expect(body).toMatchObject({ meta_data: [], attributes: [] });
  });
});
