import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import type { MerchantEdit } from './sandbox/merchant.js';
import type { TestStore } from './sandbox/test-store.js';

type NewProduct = Parameters<TestStore['products']['create']>[0];
type NewVariant = NonNullable<NewProduct['variants']>[number];

/** The variant of a product without options. */
export const PLAIN_VARIANT: NewVariant = {
  optionValues: ['Default Title'],
  sku: null,
  barcode: null,
  weight: null,
  imageUrl: null,
};

/** A product with one default variant. */
export function single(
  store: TestStore,
  name: string,
  {
    sku = `SKU-${name}`,
    barcode = null,
    ...rest
  }: { sku?: string | null; barcode?: string | null } & Partial<NewProduct> = {},
): SandboxProduct {
  return store.products.create({
    handle: name,
    title: `Product ${name}`,
    vendor: 'Acme',
    productType: 'Mugs',
    descriptionHtml: `<p>What the merchant wrote about ${name}.</p>`,
    variants: [{ ...PLAIN_VARIANT, sku, barcode }],
    ...rest,
  });
}

/** A product with three variants by size. */
export function model(store: TestStore, name: string): SandboxProduct {
  return store.products.create({
    handle: name,
    title: `Product ${name}`,
    vendor: 'Acme',
    productType: 'Shirts',
    descriptionHtml: `<p>What the merchant wrote about ${name}.</p>`,
    optionNames: ['Size'],
    variants: ['S', 'M', 'L'].map((size) => ({
      ...PLAIN_VARIANT,
      optionValues: [size],
      sku: `SKU-${name}-${size}`,
    })),
  });
}

/** `count` products, named by their number after `prefix`. Every `singleEvery`th has one default variant, the others three. */
export function fill(
  store: TestStore,
  count: number,
  { singleEvery = 1, prefix = 'p' } = {},
): SandboxProduct[] {
  return Array.from({ length: count }, (_unused, index) => {
    const name = `${prefix}${String(index + 1).padStart(4, '0')}`;
    return index % singleEvery === 0 ? single(store, name) : model(store, name);
  });
}

/** Everything of the store that a reader could see, as text to compare. */
export function storeDump(store: TestStore): string {
  return JSON.stringify(store.products.list());
}

/** Mutations that change content; exports and webhook subscriptions change none. */
export function contentWrites(store: TestStore): readonly string[] {
  return store.mutations
    .filter(({ name }) => !name.startsWith('bulkOperation') && !name.startsWith('webhookSubscription'))
    .map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
}

/** The merchant's hand on one product. */
export function edit(store: TestStore, product: SandboxProduct, change: MerchantEdit): void {
  store.products.merchantEdit(product.id, change);
}

/** As it is now. */
export function now(store: TestStore, product: SandboxProduct): SandboxProduct {
  const found = store.products.get(product.id);
  if (!found) throw new Error(`the store has no product ${product.handle} any more`);
  return found;
}
