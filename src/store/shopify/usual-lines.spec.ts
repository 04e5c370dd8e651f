import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forOddEntries } from '../../../test/support/usual-form.js';
import { numericId } from './mapper.js';
import { mediaSchema, metafieldSchema, productCoreSchema, variantSchema } from './schemas.js';
import { usualLine, usualProduct, type UsualLine } from './usual-lines.js';

const PARENT = { __parentId: 'gid://shopify/Product/7' };
const SCHEMAS = { variant: variantSchema, medium: mediaSchema, metafield: metafieldSchema };

const VARIANT = {
  __typename: 'ProductVariant',
  id: 'gid://shopify/ProductVariant/71',
  title: 'Größe "S" & / 1\t2',
  sku: 'MUG-S',
  barcode: '',
  position: 1,
  selectedOptions: [
    { name: 'Size', value: 'S' },
    { name: 'Colour', value: 'Sea \\ sky' },
  ],
};
const WEIGHT = { inventoryItem: { measurement: { weight: { value: 1.5, unit: 'KILOGRAMS' } } } };
const IMAGE = {
  __typename: 'MediaImage',
  id: 'gid://shopify/MediaImage/72',
  image: { url: 'https://cdn.example.com/s/files/1/mug_1.jpg?v=12' },
  ...PARENT,
};
const METAFIELD = {
  __typename: 'Metafield',
  id: 'gid://shopify/Metafield/73',
  namespace: 'custom',
  key: 'care',
  type: 'json',
  value: '{"a":"<b/c>"}',
  ...PARENT,
};

const NODES: readonly { readonly name: string; readonly node: Readonly<Record<string, unknown>> }[] = [
  { name: 'a variant', node: { ...VARIANT, ...PARENT } },
  { name: 'a variant with a weight', node: { ...VARIANT, ...WEIGHT, ...PARENT } },
  {
    name: 'a variant without a weight',
    node: { ...VARIANT, inventoryItem: { measurement: { weight: null } }, ...PARENT },
  },
  { name: 'a variant without texts', node: { ...VARIANT, title: '', sku: null, barcode: null, ...PARENT } },
  { name: 'an image', node: IMAGE },
  { name: 'a metafield', node: METAFIELD },
];

/** The ways in which stores write slashes and the signs of HTML. */
const WRITTEN = [bare, withEscapedSlashes, withEscapedSigns] as const;

function bare(node: unknown): string {
  return JSON.stringify(node ?? null);
}

function withEscapedSlashes(node: unknown): string {
  return bare(node).replaceAll('/', '\\/');
}

function withEscapedSigns(node: unknown): string {
  return withEscapedSlashes(node).replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

const read = (text: string): UsualLine | null => usualLine({ text, start: 0, end: text.length });

/** Expects that a line, if it is read, is what `JSON.parse` and the schema of its kind return. */
function expectAsParsed(text: string): void {
  const line = read(text);
  if (line === null) return;
  const node: unknown = JSON.parse(text);
  expect(withoutMissing(line.value)).toEqual(withoutMissing(SCHEMAS[line.kind].parse(node)));
  expect(node).toMatchObject({ __parentId: `gid://shopify/Product/${line.product}` });
}

/** The program treats a missing member as one that is null. */
function withoutMissing(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member != null));
}

const PRODUCT = {
  __typename: 'Product',
  id: 'gid://shopify/Product/7',
  title: 'Tasse "Größe"',
  handle: 'tasse',
  descriptionHtml: '<p class="a">One</p>\n<p>two</p>',
  vendor: 'Lindgren / Sons',
  productType: null,
  tags: ['steel', 'stone'],
  status: 'ACTIVE',
  isGiftCard: false,
  updatedAt: '2026-11-19T10:00:00Z',
  onlineStoreUrl: 'https://shop.example.com/products/tasse',
  category: { fullName: 'Home & Garden > Kitchen' },
  seo: { title: null, description: 'A cup' },
  options: [
    { name: 'Size', position: 1, optionValues: [{ name: 'S' }, { name: 'M' }] },
    { name: 'Colour', position: null, optionValues: [] },
  ],
};
const { isGiftCard: _isGiftCard, ...OF_EARLIER_RELEASE } = PRODUCT;

const PRODUCTS: typeof NODES = [
  { name: 'a product', node: PRODUCT },
  { name: 'a product of an export that an earlier release started', node: OF_EARLIER_RELEASE },
  {
    name: 'a product without texts',
    node: { ...PRODUCT, descriptionHtml: '', vendor: null, tags: [], category: null, seo: null },
  },
  {
    name: 'a product whose lists have texts with escapes',
    node: {
      ...PRODUCT,
      tags: ['a",', 'b/c', '\\', '&'],
      options: [{ name: '1"', position: 1, optionValues: [{ name: '2"},{' }, { name: '\t' }] }],
    },
  },
];

const readProduct = (text: string): object | null => usualProduct({ text, start: 0, end: text.length });

/** The same for the line of a product itself. */
function expectProductAsParsed(text: string): void {
  const product = readProduct(text);
  if (product === null) return;
  const node: unknown = JSON.parse(text);
  expect(withoutMissing(product)).toEqual(withoutMissing(productCoreSchema.parse(node)));
  expect(node).toMatchObject({ __typename: 'Product' });
  expect(node).not.toHaveProperty('__parentId');
}

/** Punctuation of JSON, a control character, and digits that make an escape one of a character that no database holds. */
const LETTERS = ['"', '\\', '/', '{', '}', '[', ']', ',', ':', ' ', '\n', '\u0000', 'u', '0', 'd8', '-', ''];

describe.each([
  ...NODES.map((each) => ({ ...each, reads: read, expects: expectAsParsed, shows: { product: '7' } })),
  ...PRODUCTS.map((each) => ({
    ...each,
    reads: readProduct,
    expects: expectProductAsParsed,
    shows: { id: PRODUCT.id },
  })),
])('the line of $name', ({ node, reads, expects, shows }) => {
  it('is read by its pattern, whichever of its signs are escaped', () => {
    for (const write of WRITTEN) {
      expect(reads(write(node))).toMatchObject(shows);
      expects(write(node));
    }
  });

  it('is read as its schema reads it, whatever its members are', () => {
    forOddEntries(node, (other) => {
      for (const write of WRITTEN) expects(write(other));
    });
  });

  it('is read as JSON or not at all when letters of it are others', () => {
    const texts = fc.constantFrom(...WRITTEN.map((write) => write(node)));
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(2), fc.constantFrom(...LETTERS), (text, at, removed, letter) => {
        const place = at % text.length;
        expects(text.slice(0, place) + letter + text.slice(place + removed));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the line of a product', () => {
  it.each<[string, object]>([
    ['with more than 4,096 characters', { ...PRODUCT, descriptionHtml: 'a'.repeat(4_096) }],
    ['with half of a pair', { ...PRODUCT, title: 'a\ud83d' }],
    ['with translations', { ...PRODUCT, translation1: [] }],
    ['with a fourth option', { ...PRODUCT, options: Array.from({ length: 4 }, () => PRODUCT.options[0]) }],
  ])('%s is left to JSON.parse', (_what, node) => {
    expect(readProduct(bare(node))).toBeNull();
  });
});

describe('a line', () => {
  const text = JSON.stringify(IMAGE);

  it('is read from the middle of a text, up to its own end', () => {
    const lines = `${text}\n${JSON.stringify(METAFIELD)}\n`;
    const start = text.length + 1;
    expect(usualLine({ text: lines, start, end: lines.length - 1 })).toMatchObject({ kind: 'metafield' });
    expect(usualLine({ text: lines, start: 0, end: text.length })).toMatchObject({
      kind: 'medium',
      value: { id: IMAGE.id },
    });
  });

  it.each<[string, string]>([
    ['has spaces between its members', text.replace(',"id"', ', "id"')],
    ['has its members in another order', JSON.stringify({ ...PARENT, ...IMAGE })],
    ['is of another kind', text.replace('MediaImage', 'Video')],
    ['has an address that a parser of URLs would change', text.replace('cdn.example', 'CDN.example')],
    [
      'has an escape of a character that no database holds',
      JSON.stringify({ ...METAFIELD, value: 'a\u0000' }),
    ],
    ['has the escape of half of a pair', JSON.stringify({ ...METAFIELD, value: 'a\ud83d' })],
    ['has more than 4,096 characters', JSON.stringify({ ...METAFIELD, value: 'a'.repeat(4_096) })],
  ])('that %s is left to JSON.parse', (_what, other) => {
    expect(read(other)).toBeNull();
  });

  it('belongs to the product of its last member', () => {
    expect(read(text)?.product).toBe(numericId(PARENT.__parentId));
  });
});
