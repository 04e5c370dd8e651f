import { comparePositions, connectionOf, wholeConnection } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { metafieldJson } from './metafield-values.js';
import { gid } from './model.js';
import type {
  Collection,
  MediaImage,
  Metafield,
  ProductOption,
  ProductVariant,
  SandboxProduct,
} from './model.js';
import { textOfHtml } from './product-html.js';
import { metafieldDigest } from './product-import.js';
import { hasOnlyDefaultVariant, totalInventory } from './product-search.js';
import type { RequestContext } from './request-context.js';
import { translationView } from './translations.js';

/*
 * Records as the schema's types: plain values where a field is one, methods where it takes arguments or costs work. The
 * executor has checked arguments against the schema before it calls a method.
 */

interface MetafieldsArgs extends ConnectionArgs {
  readonly namespace?: string | null;
  readonly keys?: readonly string[] | null;
}
interface MetafieldArgs {
  readonly namespace?: string | null;
  readonly key: string;
}

/** The owner of a metafield. */
interface Owner {
  readonly type: 'PRODUCT' | 'PRODUCTVARIANT';
  readonly gid: string;
}

/** The namespace that belongs to the app, used where a caller names none. */
export const APP_NAMESPACE = 'app--900000000001';

export function productView(product: SandboxProduct, context: RequestContext): object {
  return {
    __typename: 'Product',
    id: product.gid,
    legacyResourceId: String(product.id),
    title: product.title,
    handle: product.handle,
    descriptionHtml: product.descriptionHtml,
    description: ({ truncateAt }: { truncateAt?: number | null }) =>
      truncated(textOfHtml(product.descriptionHtml), truncateAt),
    vendor: product.vendor,
    productType: product.productType,
    tags: product.tags,
    status: product.status,
    category: product.category && categoryView(product.category),
    seo: { title: product.seoTitle, description: product.seoDescription },
    options: ({ first }: { first?: number | null }) => {
      const views = product.options.map((option, index) => optionView(option, index));
      return views.slice(0, first ?? undefined);
    },
    variants: (args: VariantsArgs) => variantsConnection(product, args, context),
    variantsCount: { count: product.variants.length, precision: 'EXACT' },
    media: (args: ConnectionArgs & { sortKey?: string }) => {
      const byId = args.sortKey === 'ID';
      return listed(product.media, args, context, (image, index) => (byId ? image.id : index), mediaView);
    },
    featuredMedia: product.media[0] ? mediaView(product.media[0]) : null,
    ...metafieldFields(product.metafields, { type: 'PRODUCT', gid: product.gid }, context),
    collections: (args: ConnectionArgs) =>
      listed(product.collections, args, context, byId, (each) => collectionView(each, context)),
    templateSuffix: product.templateSuffix,
    createdAt: product.createdAt,
    updatedAt: () => context.state.updatedAt(product),
    publishedAt: product.publishedAt,
    onlineStoreUrl: onlineStoreUrl(product, context),
    totalInventory: totalInventory(product),
    hasOnlyDefaultVariant: hasOnlyDefaultVariant(product),
    isGiftCard: product.isGiftCard,
    translations: ({ locale }: { locale: string }) => translationView(product.gid, { locale }, context),
  };
}

interface VariantsArgs extends ConnectionArgs {
  readonly sortKey?: 'ID' | 'POSITION' | 'SKU' | 'TITLE';
}

function variantsConnection(
  product: SandboxProduct,
  args: VariantsArgs,
  context: RequestContext,
): Connection<object> {
  const valueOf = (variant: ProductVariant, index: number): string | number => {
    const values = { ID: variant.id, POSITION: index + 1, SKU: variant.sku ?? '', TITLE: variant.title };
    return values[args.sortKey ?? 'POSITION'];
  };
  return listed(product.variants, args, context, valueOf, (variant) =>
    variantView(variant, product, context),
  );
}

export function variantView(
  variant: ProductVariant,
  product: SandboxProduct,
  context: RequestContext,
): object {
  const image = product.media.find((each) => each.id === variant.mediaId);
  return {
    __typename: 'ProductVariant',
    id: variant.gid,
    legacyResourceId: String(variant.id),
    title: variant.title,
    displayName: `${product.title} - ${variant.title}`,
    sku: variant.sku,
    barcode: variant.barcode,
    position: product.variants.indexOf(variant) + 1,
    price: variant.price,
    compareAtPrice: variant.compareAtPrice,
    createdAt: variant.createdAt,
    updatedAt: variant.changedAt,
    selectedOptions: variant.selectedOptions,
    inventoryQuantity: variant.inventoryQuantity,
    inventoryItem: {
      __typename: 'InventoryItem',
      id: gid('InventoryItem', variant.inventoryItemId),
      sku: variant.sku,
      tracked: variant.tracked,
      measurement: {
        __typename: 'InventoryItemMeasurement',
        id: gid('InventoryItemMeasurement', variant.inventoryItemId),
        weight: variant.weight,
      },
      unitCost: variant.unitCost === null ? null : { amount: variant.unitCost, currencyCode: 'USD' },
    },
    product: () => productView(product, context),
    media: (args: ConnectionArgs) => listed(image ? [image] : [], args, context, byId, mediaView),
    ...metafieldFields(variant.metafields, { type: 'PRODUCTVARIANT', gid: variant.gid }, context),
  };
}

export function metafieldView(metafield: Metafield, owner: Owner, context: RequestContext): object {
  const isProduct = owner.type === 'PRODUCT';
  const id = gid('Metafield', metafield.id);
  return {
    __typename: 'Metafield',
    id,
    namespace: metafield.namespace,
    key: metafield.key,
    type: metafield.type,
    value: metafield.value,
    jsonValue: () => metafieldJson(metafield.type, metafield.value),
    compareDigest: metafieldDigest(metafield.value),
    createdAt: metafield.createdAt,
    updatedAt: metafield.changedAt,
    ownerType: owner.type,
    owner: { __typename: isProduct ? 'Product' : 'ProductVariant', id: owner.gid },
    translations: ({ locale }: { locale: string }) => translationView(id, { locale }, context),
  };
}

export function mediaView(image: MediaImage): object {
  const { id, url, alt, createdAt } = image;
  return {
    __typename: 'MediaImage',
    id: gid('MediaImage', id),
    alt: alt ?? '',
    mediaContentType: 'IMAGE',
    status: 'READY',
    fileStatus: 'READY',
    mimeType: 'image/jpeg',
    createdAt,
    updatedAt: createdAt,
    image: { id: gid('ImageSource', id), url, altText: alt, width: 1200, height: 1200 },
  };
}

export function collectionView(collection: Collection, context: RequestContext): object {
  const { id, handle, title } = collection;
  const updatedAt = context.state.now();
  return {
    __typename: 'Collection',
    id: gid('Collection', id),
    legacyResourceId: String(id),
    handle,
    title,
    updatedAt,
  };
}

export function onlineStoreUrl(product: SandboxProduct, context: RequestContext): string | null {
  const shown =
    product.publishedAt !== null && (product.status === 'ACTIVE' || product.status === 'UNLISTED');
  return shown ? `https://${context.state.shop}/products/${encodeURIComponent(product.handle)}` : null;
}

export function categoryView({ gid: id, fullName }: { gid: string; fullName: string }): object {
  return {
    __typename: 'TaxonomyCategory',
    id,
    fullName,
    isArchived: false,
    name: fullName.split('>').at(-1)?.trim() ?? fullName,
  };
}

function optionView(option: ProductOption, index: number): object {
  return {
    __typename: 'ProductOption',
    id: gid('ProductOption', option.id),
    name: option.name,
    position: index + 1,
    values: option.values.map((value) => value.name),
    optionValues: option.values.map((value) => ({
      __typename: 'ProductOptionValue',
      id: gid('ProductOptionValue', value.id),
      name: value.name,
      hasVariants: true,
    })),
  };
}

function metafieldFields(metafields: readonly Metafield[], owner: Owner, context: RequestContext): object {
  const view = (metafield: Metafield): object => metafieldView(metafield, owner, context);
  return {
    metafield: ({ namespace, key }: MetafieldArgs) => {
      const found = metafields.find(
        (each) => each.namespace === (namespace ?? APP_NAMESPACE) && each.key === key,
      );
      return found ? view(found) : null;
    },
    metafields: ({ namespace, keys, ...args }: MetafieldsArgs) => {
      const wanted = metafields.filter((each) => {
        if (namespace && each.namespace !== namespace) return false;
        return (
          !keys ||
          keys.includes(`${each.namespace}.${each.key}`) ||
          (Boolean(namespace) && keys.includes(each.key))
        );
      });
      return listed(wanted, args, context, byId, view);
    },
  };
}

function byId(item: { readonly id: number }): number {
  return item.id;
}

/** A nested connection: sorted, cut to the window that was asked for, or whole while an export is evaluated. */
function listed<Item extends { readonly id: number }>(
  items: readonly Item[],
  args: ConnectionArgs,
  context: RequestContext,
  valueOf: (item: Item, index: number) => string | number,
  view: (item: Item) => object,
): Connection<object> {
  const placed = items.map((item, index) => ({
    item,
    position: { id: item.id, value: valueOf(item, index) },
  }));
  const order = args.reverse ? -1 : 1;
  placed.sort((left, right) => order * comparePositions(left.position, right.position));
  const viewOf = (each: { item: Item }): object => view(each.item);
  if (context.exportWindow) return wholeConnection(placed, (each) => each.position, viewOf);
  return connectionOf(placed, args, (each) => each.position, viewOf);
}

function truncated(text: string, at: number | null | undefined): string {
  return at === null || at === undefined || text.length <= at
    ? text
    : `${text.slice(0, Math.max(at - 3, 0))}...`;
}
