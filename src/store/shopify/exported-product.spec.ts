import { describe, expect, it } from '@jest/globals';
import { ExportedProduct } from './exported-product.js';

const SCOPE = { shop: 'demo.myshopify.com', variantMetafields: [], locales: [] };
const ID = 'gid://shopify/Product/7';
const TEXTS = [
  '{"__typename":"Product","id":"gid://shopify/Product/7","title":"Mug"}',
  '{"__typename":"ProductVariant","id":"gid://shopify/ProductVariant/71","__parentId":"gid://shopify/Product/7"}',
  '{"__typename":"MediaImage","id":"gid://shopify/MediaImage/72","__parentId":"gid://shopify/Product/7"}',
];
/** The members that every product has. */
const CORE = {
  __typename: 'Product',
  id: ID,
  title: 'Mug',
  handle: 'mug',
  tags: [],
  status: 'ACTIVE',
  updatedAt: '2026-11-19T10:00:00Z',
  options: [],
};

const product = (texts: readonly string[]): ExportedProduct =>
  new ExportedProduct(ID, Buffer.from(texts.join('\n')), [5], SCOPE);

describe('an exported product', () => {
  it('has another digest with any line, with their number and with their order', () => {
    const [core = '', variant = '', image = ''] = TEXTS;
    const digests = [
      TEXTS,
      [core.replace('Mug', 'Cup'), variant, image],
      [core, variant.replace('71', '73'), image],
      [core, variant],
      [core],
      [core, image, variant],
    ].map((texts) => product(texts).digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(product(TEXTS).digest).toBe(digests[0]);
  });

  it('has id and digest without a look at malformed lines, and their place when it is parsed', () => {
    const broken = product([TEXTS[0] ?? '', '{"__typename":']);
    expect(broken.externalId).toBe('shopify:demo.myshopify.com:7');
    expect(broken.digest).toMatch(/^[0-9a-f]{32}$/);
    expect(() => broken.snapshot()).toThrow('line 6 of the export is not JSON');
  });

  it('has texts that a database can hold, whatever was escaped in it', () => {
    const text = JSON.stringify({
      ...CORE,
      title: 'Mug\u0000 \ud83e!',
      tags: ['a\u0000'],
      descriptionHtml: '<p>\u0000a</p>',
      vendor: 'A',
      productType: '',
      isGiftCard: false,
      onlineStoreUrl: null,
      category: null,
      seo: null,
    });
    expect(product([text]).snapshot()).toMatchObject({
      title: 'Mug \ufffd!',
      tags: ['a'],
      descriptionHtml: '<p>a</p>',
    });
  });

  it('is malformed when its line has another id than it was found under', () => {
    const text = JSON.stringify({ ...CORE, id: 'gid://shopify/Product/8' });
    expect(() => product([text]).snapshot()).toThrow(/line 5 .* two ids/);
  });

  it('is the same from lines of the usual form and from others', () => {
    const core = JSON.stringify({ ...CORE, options: [{ name: 'Size', optionValues: [{ name: 'S' }] }] });
    const start = (kind: string, id: number): object => ({
      __typename: kind,
      id: `gid://shopify/${kind}/${String(id)}`,
    });
    const parent = { __parentId: ID };
    const children = [
      {
        ...start('ProductVariant', 71),
        ...{ title: 'S', sku: '', barcode: null, position: 1 },
        selectedOptions: [{ name: 'Size', value: 'S' }],
        inventoryItem: { measurement: { weight: { value: 250, unit: 'GRAMS' } } },
        ...parent,
      },
      { ...start('MediaImage', 72), image: { url: 'https://cdn.example.com/mug.jpg' }, ...parent },
      { ...start('Metafield', 73), namespace: 'custom', key: 'care', type: 'text', value: 'Dry', ...parent },
    ].map((node) => JSON.stringify(node));
    const usual = product([core, ...children]).snapshot();
    const spaced = children.map((text) => text.replaceAll(',"', ', "'));
    expect(product([core, ...spaced]).snapshot()).toEqual(usual);
    expect(usual).toMatchObject({
      imageUrls: ['https://cdn.example.com/mug.jpg'],
      metafields: [{ key: 'care', value: 'Dry' }],
      variants: [{ sku: null, weight: '250 g' }],
    });
    const stray = children.map((text) => text.replace('Product/7"', 'Product/8"'));
    expect(() => product([core, ...stray]).snapshot()).toThrow('malformed product data in line 6');
  });
});
