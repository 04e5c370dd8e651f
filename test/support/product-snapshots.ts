import { productExternalId, variantExternalId } from '../../src/domain/external-id.js';
import type { ProductSnapshot, VariantSnapshot } from '../../src/domain/snapshot.js';

export const SHOP = 'example.myshopify.com';
export const IDENTITY = `shopify:${SHOP}`;

/** A product of the fake store, which knows when it changed. */
export interface TimedSnapshot extends ProductSnapshot {
  readonly updatedAt: Date;
}

/** A standalone product as the store holds it; a test says what matters to it. */
export function snapshot(id: number, overrides: Partial<TimedSnapshot> = {}): TimedSnapshot {
  return {
    externalId: productExternalId(IDENTITY, String(id)),
    storeId: String(id),
    status: 'ACTIVE',
    handle: `product-${String(id)}`,
    title: `Product ${String(id)}`,
    descriptionHtml: `<p>Source ${String(id)}</p>`,
    vendor: 'Acme',
    productType: 'Thing',
    category: null,
    tags: [],
    isGiftCard: false,
    url: null,
    seoTitle: null,
    seoDescription: null,
    options: [],
    imageUrls: [],
    metafields: [],
    hasOnlyDefaultVariant: true,
    variants: [variant(id, 1, { sku: `SKU-${String(id)}` })],
    updatedAt: new Date('2026-11-19T10:00:00Z'),
    ...overrides,
  };
}

export function variant(
  product: number,
  number: number,
  overrides: Partial<VariantSnapshot> = {},
): VariantSnapshot {
  const id = `${String(product)}0${String(number)}`;
  return {
    externalId: variantExternalId(IDENTITY, String(product), id),
    storeId: id,
    title: `Variant ${String(number)}`,
    sku: null,
    barcode: null,
    options: [],
    weight: null,
    imageUrls: [],
    metafields: [],
    ...overrides,
  };
}

/** The same product with another identifier. */
export function withSku(product: TimedSnapshot, sku: string | null): TimedSnapshot {
  return { ...product, variants: product.variants.map((each) => ({ ...each, sku })) };
}

/** A product of the other store of the workspace. */
export function otherSnapshot(id: number, sku: string): TimedSnapshot {
  const product = withSku(snapshot(id), sku);
  const renamed = (externalId: string): string => externalId.replace('example', 'other');
  return {
    ...product,
    externalId: renamed(product.externalId),
    variants: product.variants.map((each) => ({ ...each, externalId: renamed(each.externalId) })),
  };
}

/** A product of two variants, which the catalog holds as a product model. */
export function modelSnapshot(id: number, overrides: Partial<TimedSnapshot> = {}): TimedSnapshot {
  const sizes = [1, 2].map((number) =>
    variant(id, number, {
      sku: `SKU-${String(id)}-${String(number)}`,
      options: [{ name: 'Size', value: String(number) }],
    }),
  );
  return snapshot(id, {
    hasOnlyDefaultVariant: false,
    options: [{ name: 'Size', values: ['1', '2'] }],
    variants: sizes,
    ...overrides,
  });
}
