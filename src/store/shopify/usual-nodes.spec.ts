import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { expectAsItsSchema } from '../../../test/support/usual-form.js';
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
    expectAsItsSchema({ schema, usual, entry: node }, withoutMissing);
  });
});
