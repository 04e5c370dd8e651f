import { createHash } from 'node:crypto';
import type { ImportedProduct, ImportedVariant } from './csv.js';
import { gid } from './model.js';
import type { MediaImage, ProductOption, ProductVariant, SandboxProduct } from './model.js';
import { normaliseTags } from './product-changes.js';
import { normaliseHtml, slug } from './product-html.js';
import type { ShopState } from './state.js';

/**
 * Puts a product of an export into the shop. A handle that is there already is overwritten, as the store's own import does:
 * product and variants of the same options keep their ids.
 */
export function importProduct(state: ShopState, imported: ImportedProduct): SandboxProduct {
  const now = state.now();
  const present = state.productByHandle(imported.handle);
  const id = present?.id ?? state.nextId('product');
  const media = imported.images.map((image): MediaImage => {
    const known = present?.media.find(({ url }) => url === image.url);
    return {
      id: known?.id ?? state.nextId('media'),
      url: image.url,
      alt: image.alt,
      createdAt: known?.createdAt ?? now,
    };
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
    options: present && sameOptions(present, imported) ? present.options : optionsOf(state, imported),
    variants: imported.variants.map((variant) =>
      variantOf(state, variant, { imported, media, present, now }),
    ),
    media,
    metafields: imported.metafields.map(({ namespace, key, type, value }) => {
      const known = present?.metafields.find(
        (metafield) => metafield.namespace === namespace && metafield.key === key,
      );
      const createdAt = known?.createdAt ?? now;
      return {
        id: known?.id ?? state.nextId('metafield'),
        namespace,
        key,
        type,
        value,
        createdAt,
        changedAt: now,
      };
    }),
    collections: imported.collection === null ? [] : [collectionOf(state, imported.collection)],
    templateSuffix: imported.templateSuffix,
    isGiftCard: imported.isGiftCard,
    createdAt: present?.createdAt ?? now,
    changedAt: now,
    publishedAt: imported.published ? (present?.publishedAt ?? now) : null,
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
  readonly now: Date;
}

function variantOf(state: ShopState, variant: ImportedVariant, context: VariantContext): ProductVariant {
  const { imported, media, present, now } = context;
  const title = variant.optionValues.join(' / ');
  const known = present?.variants.find((each) => each.title === title);
  const id = known?.id ?? state.nextId('variant');
  return {
    id,
    gid: gid('ProductVariant', id),
    title,
    sku: variant.sku,
    barcode: variant.barcode,
    price: variant.price,
    compareAtPrice: variant.compareAtPrice,
    selectedOptions: imported.optionNames.map((name, index) => ({
      name,
      value: variant.optionValues[index] ?? '',
    })),
    inventoryItemId: known?.inventoryItemId ?? state.nextId('inventoryItem'),
    inventoryQuantity: variant.inventoryQuantity,
    tracked: variant.tracked,
    unitCost: variant.unitCost,
    weight: variant.weight,
    mediaId: media.find(({ url }) => url === variant.imageUrl)?.id ?? null,
    metafields: known?.metafields ?? [],
    createdAt: known?.createdAt ?? now,
    changedAt: now,
  };
}

function optionsOf(state: ShopState, imported: ImportedProduct): ProductOption[] {
  return imported.optionNames.map((name, index) => ({
    id: state.nextId('option'),
    name,
    values: valuesOf(imported, index).map((value) => ({ id: state.nextId('optionValue'), name: value })),
  }));
}

function sameOptions(present: SandboxProduct, imported: ImportedProduct): boolean {
  const wanted = imported.optionNames.map((name, index) => [name, ...valuesOf(imported, index)]);
  const held = present.options.map((option) => [option.name, ...option.values.map((value) => value.name)]);
  return JSON.stringify(wanted) === JSON.stringify(held);
}

function valuesOf(imported: ImportedProduct, index: number): string[] {
  return [...new Set(imported.variants.flatMap((variant) => variant.optionValues[index] ?? []))];
}

function collectionOf(state: ShopState, title: string): { id: number; handle: string; title: string } {
  const handle = slug(title) || 'collection';
  return { id: state.collectionId(handle), handle, title };
}
