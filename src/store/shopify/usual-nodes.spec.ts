import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import {
  exportLineSchema,
  mediaSchema,
  metafieldSchema,
  productCoreSchema,
  variantMediaSchema,
  variantSchema,
} from './schemas.js';
import {
  usualCore,
  usualMedia,
  usualMetafield,
  usualPlace,
  usualVariant,
  usualVariantMedia,
} from './usual-nodes.js';

interface Kind {
  readonly kind: string;
  readonly schema: z.ZodType;
  readonly usual: (node: unknown) => unknown;
  readonly node: Readonly<Record<string, unknown>>;
}

const METAFIELD = { namespace: 'custom', key: 'care', type: 'single_line_text_field', value: 'Dry' };

const KINDS: readonly Kind[] = [
  {
    kind: 'place of a line',
    schema: exportLineSchema,
    usual: usualPlace,
    node: { __typename: 'Metafield', id: 'gid://shopify/Metafield/3', __parentId: 'gid://shopify/Product/1' },
  },
  {
    kind: 'product',
    schema: productCoreSchema,
    usual: usualCore,
    node: {
      __typename: 'Product',
      id: 'gid://shopify/Product/1',
      title: 'Mug',
      handle: 'mug',
      descriptionHtml: '<p>A mug</p>',
      vendor: '',
      productType: null,
      tags: ['a', ''],
      status: 'ACTIVE',
      isGiftCard: false,
      updatedAt: '2026-11-19T10:00:00Z',
      onlineStoreUrl: 'https://shop.example.com/products/mug',
      category: { id: 'gid://shopify/TaxonomyCategory/1', fullName: 'Home > Mugs' },
      seo: { title: '', description: 'D' },
      options: [{ name: 'Size', position: 1, optionValues: [{ id: 'x', name: 'S' }, { name: 'M' }] }],
    },
  },
  {
    kind: 'variant',
    schema: variantSchema,
    usual: usualVariant,
    node: {
      id: 'gid://shopify/ProductVariant/11',
      title: 'S',
      sku: 'MUG-S',
      barcode: '',
      position: 1,
      selectedOptions: [{ name: 'Size', value: 'S' }],
      inventoryItem: { measurement: { weight: { value: 1.5, unit: 'KILOGRAMS' } } },
      metafield1: METAFIELD,
      metafield2: null,
    },
  },
  { kind: 'metafield', schema: metafieldSchema, usual: usualMetafield, node: METAFIELD },
  {
    kind: 'medium',
    schema: mediaSchema,
    usual: usualMedia,
    node: {
      id: 'gid://shopify/MediaImage/2',
      image: { url: 'https://cdn.example.com/files/1/a_b-c.jpg?v=12' },
    },
  },
  {
    kind: 'medium of a variant',
    schema: variantMediaSchema,
    usual: usualVariantMedia,
    node: { id: 'gid://shopify/MediaImage/2', __parentId: 'gid://shopify/ProductVariant/11' },
  },
];

/** Every path of a value, to members of lists and objects. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([name, member]) => pathsOf(member).map((path) => [name, ...path])),
  ];
}

/** The value with another one at a path; `undefined` removes it there. */
function changed(value: unknown, [name, ...path]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).map(
    ([each, member]): [string, unknown] => [each, each === name ? changed(member, path, by) : member],
  );
  if (Array.isArray(value)) return entries.map(([, member]) => member);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** Values at the edges of what the schemas accept, and any JSON. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    ' ',
    [],
    {},
    0,
    -1,
    1.5,
    2 ** 53,
    Infinity,
    true,
    'ACTIVE',
    'active',
    'UNLISTED',
    'gid://shopify/Product/1\n',
    'gid://shopify/Product/',
    'gid://shopify/ProductVariant/1x',
    '2026-02-29T10:00:00Z',
    '2026-11-19T10:00:00+02:00',
    '2026-11-19T10:00Z',
    '2026-11-19',
    'GRAMS',
    'STONES',
    'toString',
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'ftp'] }),
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', 'https:/', '//'),
      fc.string({
        unit: fc.constantFrom('a', 'B', '1', '-', '.', 'xn--', '%', ':', '@', ' ', 'é'),
        maxLength: 80,
      }),
      fc.string({
        unit: fc.constantFrom('/', '..', '?', '%', '%zz', '#', '\\', ' ', 'a', '"', '\t'),
        maxLength: 10,
      }),
    )
    .map((parts) => parts.join('')),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The program treats a missing member as one that is null. */
function withoutMissing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMissing);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, member]) => member != null);
  return Object.fromEntries(present.map(([name, member]) => [name, withoutMissing(member)]));
}

describe.each(KINDS)('a $kind of the usual form', ({ schema, usual, node }) => {
  it('is read without its schema', () => {
    expect(usual(node)).not.toBeNull();
  });

  it('is what its schema returns, whatever else a node has, lacks or has changed', () => {
    const paths = pathsOf(node);
    const change = fc.tuple(fc.constantFrom(...paths), ODD);
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 2 }),
        fc.dictionary(fc.string(), ODD, { maxKeys: 2 }),
        (changes, more) => {
          const other = changes.reduce<unknown>(
            (value, [path, by]) =>
              pathsOf(value).some((each) => each.join() === path.join()) ? changed(value, path, by) : value,
            { ...more, ...node },
          );
          const read = usual(other);
          if (read !== null) expect(withoutMissing(read)).toEqual(withoutMissing(schema.parse(other)));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
