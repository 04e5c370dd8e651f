import { createHash } from 'node:crypto';
import type { ImportedProduct, ImportedVariant } from './csv.js';
import { gid } from './model.js';
import type { MediaImage, ProductVariant, SandboxProduct } from './model.js';
import { normaliseTags } from './product-changes.js';
import { normaliseHtml } from './product-html.js';
import type { ShopState } from './state.js';

/** A product without content, with the variant that every product has. */
export const BLANK: Omit<ImportedProduct, 'title' | 'handle'> = {
  descriptionHtml: '',
  vendor: '',
  productType: '',
  category: null,
  tags: [],
  published: true,
  status: 'ACTIVE',
  seoTitle: null,
  seoDescription: null,
  isGiftCard: false,
  optionNames: ['Title'],
  variants: [
    {
      optionValues: ['Default Title'],
      sku: null,
      barcode: null,
      weight: null,
      imageUrl: null,
    },
  ],
  images: [],
  metafields: [],
};

/**
 * Puts a product of an export into the shop. A handle that is there already is overwritten, as the store's own import does:
 * product, variants of the same options, images and metafields keep their ids.
 */
export function importProduct(state: ShopState, imported: ImportedProduct): SandboxProduct {
  const present = state.productByHandle(imported.handle);
  const id = present?.id ?? state.nextId('product');
  const media = imported.images.map((image): MediaImage => {
    const known = present?.media.find(({ url }) => url === image.url);
    return { ...image, id: known?.id ?? state.nextId('media') };
  });
  const product: SandboxProduct = {
    id,
    gid: gid('Product', id),
    handle: imported.handle,
    title: imported.title,
    descriptionHtml: normaliseHtml(imported.descriptionHtml),
    vendor: imported.vendor,
    productType: imported.productType,
    tags: normaliseTags(imported.tags),
    status: imported.status,
    category: imported.category === null ? null : state.categoryNamed(imported.category),
    seoTitle: imported.seoTitle,
    seoDescription: imported.seoDescription,
    options: imported.optionNames.map((name, index) => ({
      name,
      values: [...new Set(imported.variants.flatMap((variant) => variant.optionValues[index] ?? []))],
    })),
    variants: imported.variants.map((variant) => variantOf(state, variant, { imported, media, present })),
    media,
    metafields: imported.metafields.map((metafield) => {
      const known = present?.metafields.find(
        ({ namespace, key }) => namespace === metafield.namespace && key === metafield.key,
      );
      return { ...metafield, id: known?.id ?? state.nextId('metafield') };
    }),
    isGiftCard: imported.isGiftCard,
    changedAt: state.now(),
    isPublished: imported.published,
  };
  state.put(product);
  return product;
}

/** The token by which a value is compared and set. It depends on the content alone and is not the content's plain hash. */
export function metafieldDigest(value: string): string {
  return createHash('sha256').update(`metafield\0${value}`).digest('hex');
}

interface VariantContext {
  readonly imported: ImportedProduct;
  readonly media: readonly MediaImage[];
  readonly present: SandboxProduct | undefined;
}

function variantOf(
  state: ShopState,
  variant: ImportedVariant,
  { imported, media, present }: VariantContext,
): ProductVariant {
  const title = variant.optionValues.join(' / ');
  const known = present?.variants.find((each) => each.title === title);
  const id = known?.id ?? state.nextId('variant');
  return {
    id,
    gid: gid('ProductVariant', id),
    title,
    sku: variant.sku,
    barcode: variant.barcode,
    selectedOptions: imported.optionNames.map((name, index) => ({
      name,
      value: variant.optionValues[index] ?? '',
    })),
    weight: variant.weight,
    mediaId: media.find(({ url }) => url === variant.imageUrl)?.id ?? null,
    metafields: known?.metafields ?? [],
  };
}
