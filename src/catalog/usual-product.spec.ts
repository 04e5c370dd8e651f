import { describe, expect, it } from '@jest/globals';
import { expectAsItsSchema } from '../../test/support/usual-form.js';
import { nestedProductSchema, productSchema } from './schemas.js';
import { usualProduct, usualVariant } from './usual-product.js';

const VARIANT = {
  id: 71,
  sku: 'MUG-S',
  barcode: '4006381333931',
  mpn: null,
  asin: '',
  brand: 'Lindgren',
  category: 'Mugs',
  name: 'Mug S',
  description: 'A mug',
  url: 'https://shop.example.com/products/mug',
  html_description: '<p>A mug</p>',
  external_id: 'shopify:a.myshopify.com:1:11',
  open_attributes: { Size: 'S', Weight: 3, Parts: ['a'] },
  crawl_configuration: { reference_string: 'mug', source_url: null, depth: 2 },
  images: [{ source_url: 'https://cdn.example.com/1.jpg', order: 0, width: 5 }],
  metadata: { a: { b: [1] } },
  product_lists: ['winter'],
  tags_to_update: [3, 4],
  variants: [],
  is_product_model: false,
  created_at: '2026-11-19T10:00:00Z',
  sections: [{ title: 'Care', content: 'Dry' }],
  extra: { passes: true },
};
const PRODUCT = { ...VARIANT, id: 7, is_product_model: true, variants: [VARIANT, { sku: 'MUG-M' }] };

const KINDS = [
  { kind: 'product', schema: productSchema, usual: usualProduct, entry: PRODUCT },
  { kind: 'variant', schema: nestedProductSchema, usual: usualVariant, entry: VARIANT },
];

describe.each(KINDS)('a listed $kind of the usual form', ({ schema, usual, entry }) => {
  it('is read without its schema', () => {
    expect(usual(entry)).toBe(entry);
  });

  it('is what its schema returns, whatever else it has, lacks or has changed', () => {
    expect(Object.keys(entry)).toEqual(expect.arrayContaining(Object.keys(schema.shape)));
    expectAsItsSchema({ schema, usual, entry });
  });
});

it.each([
  '{"id":7,"__proto__":{}}',
  '{"id":7,"open_attributes":{"__proto__":1}}',
  '{"id":7,"metadata":{"__proto__":1}}',
  '{"id":7,"sections":[{"__proto__":1}]}',
  '{"id":7,"images":[{"__proto__":1}]}',
  '{"id":7,"crawl_configuration":{"__proto__":1}}',
  '{"id":7,"variants":[{"__proto__":1}]}',
])('a listed product with a member of a reserved name is left to the schema: %s', (text) => {
  expect(usualProduct(JSON.parse(text))).toBeNull();
});

it.each([
  { id: '7' },
  { sku: 'A' },
  { id: 2 ** 53 },
  { id: 7, sku: 5 },
  { id: 7, images: [null] },
  'no product',
  null,
])('a listed product that is not of the usual form is left to the schema: %j', (entry) => {
  expect(usualProduct(entry)).toBeNull();
});
