import { describe, expect, it } from '@jest/globals';
import type { ReadScope } from './api-types.js';
import { productNode, variantNode } from '../../../test/support/store/products.js';
import { numericId, toSnapshot } from './mapper.js';

const SCOPE: ReadScope = {
  identity: 'shopify:demo-store.myshopify.com',
  variantMetafields: [],
  locales: [],
};

const core = (overrides: object = {}): object =>
  productNode(1, {
    descriptionHtml: '',
    vendor: '',
    productType: null,
    category: null,
    seo: { title: '', description: 'D' },
    options: [
      { name: 'Size', position: 2, optionValues: [{ name: 'S' }, { name: 'M' }] },
      { name: 'Colour', position: 1, optionValues: [{ name: 'Red' }] },
    ],
    ...overrides,
  });
const variant = (id: number, overrides: object = {}): object =>
  variantNode(id, { sku: '', position: id, selectedOptions: [{ name: 'Size', value: 'S' }], ...overrides });
const map = (
  product: object,
  variants: object[] = [variant(1)],
  media: object[] = [],
  metafields: object[] = [],
) => toSnapshot({ core: product, variants, media, metafields }, SCOPE);

describe('toSnapshot', () => {
  it('treats the empty string as null', () => {
    expect(map(core())).toMatchObject({
      descriptionHtml: null,
      vendor: null,
      productType: null,
      category: null,
      url: null,
      seoTitle: null,
      seoDescription: 'D',
      variants: [{ sku: null, barcode: null }],
    });
  });

  it('puts options and variants into the store’s order', () => {
    const product = map(core(), [variant(3), variant(1), variant(2)]);
    expect(product.options).toEqual([
      { name: 'Colour', values: ['Red'] },
      { name: 'Size', values: ['S', 'M'] },
    ]);
    expect(product.variants.map(({ storeId }) => numericId(storeId))).toEqual(['1', '2', '3']);
  });

  const weighing = (value: number, unit: string): object => ({
    inventoryItem: { id: 'gid://shopify/InventoryItem/1', measurement: { weight: { value, unit } } },
  });
  it.each<[object, string | null]>([
    [weighing(250, 'GRAMS'), '250 g'],
    [weighing(1.5, 'KILOGRAMS'), '1.5 kg'],
    [weighing(2, 'POUNDS'), '2 lb'],
    [weighing(0, 'GRAMS'), null],
    [weighing(3, 'STONES'), null],
    [{ inventoryItem: { id: 'x', measurement: { weight: null } } }, null],
    [{}, null],
  ])('reads the weight of a variant %j as %j', (over, weight) => {
    expect(map(core(), [variant(1, over)]).variants[0]?.weight).toBe(weight);
  });

  it('reads the metafields of a variant that the mapping names, empty ones left out', () => {
    const mpn = { namespace: 'ids', key: 'mpn', type: 'single_line_text_field', value: 'M-1' };
    const read = map(core(), [
      variant(1, { metafield1: mpn, metafield2: { ...mpn, key: 'asin', value: '' } }),
    ]);
    expect(read.variants[0]?.metafields).toEqual([mpn]);
  });

  const media = [
    {
      __typename: 'MediaImage',
      id: 'gid://shopify/MediaImage/1',
      image: { url: 'https://cdn.example.com/1.jpg' },
    },
    { __typename: 'MediaImage', id: 'gid://shopify/MediaImage/2', image: null },
  ];
  const withMedia = (...ids: number[]): object => ({
    media: { nodes: ids.map((id) => ({ id: `gid://shopify/MediaImage/${String(id)}` })) },
  });
  it.each<[string, object, string[]]>([
    ['of the product', withMedia(1), ['https://cdn.example.com/1.jpg']],
    ['that has no address yet', withMedia(2), []],
    ['that the product does not have', withMedia(9), []],
    ['and a second one', withMedia(1, 2), ['https://cdn.example.com/1.jpg']],
    ['of no kind', withMedia(), []],
    ['in an answer without media', {}, []],
  ])('gives a variant with an image %s the address of that image', (_which, over, imageUrls) => {
    expect(map(core(), [variant(1, over)], media).variants[0]?.imageUrls).toEqual(imageUrls);
  });

  it.each([
    [[], undefined],
    [['fr'], { fr: 'Laine' }],
  ])('with the further languages %j a metafield has the translations %j', (locales, translations) => {
    const field = {
      id: 'gid://shopify/Metafield/1',
      namespace: 'custom',
      key: 'material',
      type: 'single_line_text_field',
      value: 'Wool',
      translation1: [{ locale: 'fr', key: 'value', value: 'Laine' }],
    };
    const raw = { core: core(), variants: [variant(1)], media: [], metafields: [field] };
    expect(toSnapshot(raw, { ...SCOPE, locales }).metafields[0]?.translations).toEqual(translations);
  });

  it('recognises a gift card, also in an export without that field', () => {
    expect(map(core({ isGiftCard: true })).isGiftCard).toBe(true);
    expect(map(core()).isGiftCard).toBe(false);
  });

  it('keeps the order of images, and leaves out other media and images without an address', () => {
    const media = [
      { __typename: 'MediaImage', id: '1', image: { url: 'https://cdn.example.com/b.jpg' } },
      { __typename: 'Video', id: '2' },
      { __typename: 'MediaImage', id: '3', image: null },
      { __typename: 'MediaImage', id: '4', image: { url: 'https://cdn.example.com/a.jpg' } },
    ];
    expect(map(core(), undefined, media).imageUrls).toEqual([
      'https://cdn.example.com/b.jpg',
      'https://cdn.example.com/a.jpg',
    ]);
  });

  const title = { name: 'Title', position: 1, optionValues: [{ name: 'Default Title' }] };
  const called = (value: string, id = 1) => variant(id, { selectedOptions: [{ name: 'Title', value }] });
  it.each([
    ['the one variant that the store made', [title], [called('Default Title')], true],
    ['one variant of a real option', [], [variant(1)], false],
    ['an option named Title of the merchant’s', [title], [called('Dr')], false],
    ['two variants', [title], [called('Default Title'), called('Default Title', 2)], false],
    ['no variant', [title], [], false],
  ])('recognises a product without options: %s', (_name, options, variants, expected) => {
    expect(map(core({ options }), variants).hasOnlyDefaultVariant).toBe(expected);
  });

  it.each([
    ['an unknown status', core({ status: 'SOLD' })],
    ['a missing title', core({ title: undefined })],
    ['an id of something else', core({ id: 'gid://shopify/Collection/1' })],
  ])('throws transient for %s', (_name, product) => {
    expect(() => map(product)).toThrow(expect.objectContaining({ code: 'transient' }));
  });

  it('names the id of what is malformed', () => {
    expect(() => map(core(), [{ id: 'gid://x/1' }])).toThrow(/malformed product data, gid:\/\/x\/1/);
  });
});
