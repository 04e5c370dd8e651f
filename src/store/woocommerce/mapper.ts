import { productExternalId, variantExternalId } from '../../domain/external-id.js';
import { SHORT_DESCRIPTION_PLACE } from '../../domain/metafield-key.js';
import type {
  MetafieldValue,
  ProductSnapshot,
  ProductStatus,
  VariantSnapshot,
} from '../../domain/snapshot.js';
import { metaFields, type MetaNames, seoText, TEXT } from './meta.js';
import type { WooProduct, WooVariation } from './schemas.js';
import { decodedName } from './texts.js';

/** What a product is mapped with. */
export interface MapScope {
  readonly identity: string;
  /** Folders of the active plugins. */
  readonly plugins: ReadonlySet<string>;
  readonly categories: ReadonlyMap<number, string | null>;
  readonly metaNames: MetaNames;
  /** The unit of weights, such as `kg`; null where the shop does not give it. */
  readonly weightUnit: string | null;
  /** `namespace.key` of the metafields of variants; a simple product has them itself. */
  readonly variantMetafields: readonly string[];
}

/** The attributes of a product, read only. */
const ATTRIBUTES = 'attribute';

export function toSnapshot(
  product: WooProduct,
  variations: readonly WooVariation[],
  scope: MapScope,
): ProductSnapshot {
  const storeId = String(product.id);
  const isVariable = product.type === 'variable' && variations.length > 0;
  const isPublic = product.status === 'publish';
  const shortDescription = orNull(product.short_description);
  const metafields = [
    ...metaFields(product.meta_data, scope.metaNames),
    ...attributesOf(product),
    ...(shortDescription === null
      ? []
      : [{ ...SHORT_DESCRIPTION_PLACE, type: TEXT, value: shortDescription }]),
  ];
  const options = product.attributes.filter(({ variation }) => variation);
  return {
    externalId: productExternalId(scope.identity, storeId),
    storeId,
    status: statusOf(product),
    handle: product.slug,
    title: decodedName(product.name),
    descriptionHtml: orNull(product.description),
    shortDescription,
    vendor: product.brands[0] === undefined ? null : decodedName(product.brands[0].name),
    productType: null,
    category: categoryOf(product, scope),
    tags: product.tags.map(({ name }) => decodedName(name)),
    isGiftCard: false,
    url: isPublic && product.permalink !== '' ? product.permalink : null,
    seoTitle: seoText(product.meta_data, scope.plugins, 'title'),
    seoDescription: seoText(product.meta_data, scope.plugins, 'description'),
    options: isVariable
      ? options.map(({ name, options: values }) => ({
          name: decodedName(name),
          values: values.map(decodedName),
        }))
      : [],
    imageUrls: product.images.map(({ src }) => src).filter((src) => src !== ''),
    metafields,
    hasOnlyDefaultVariant: !isVariable,
    variants: isVariable
      ? variations.map((variation) => variantOf(product, variation, scope))
      : [onlyVariant(product, metafields, scope)],
  };
}

function statusOf({ status, catalog_visibility: visibility }: WooProduct): ProductStatus {
  if (status !== 'publish') return 'DRAFT';
  return visibility === 'hidden' ? 'UNLISTED' : 'ACTIVE';
}

/** The deepest of the product's categories, and of several the first. */
function categoryOf({ categories }: WooProduct, { categories: paths }: MapScope): string | null {
  const own = categories.map(({ id, name }) => paths.get(id) ?? decodedName(name));
  const depth = (path: string): number => path.split(' > ').length;
  return own.reduce<string | null>(
    (best, path) => (best === null || depth(path) > depth(best) ? path : best),
    null,
  );
}

function attributesOf({ attributes }: WooProduct): MetafieldValue[] {
  return attributes.flatMap(({ name, slug, options }) => {
    const key = (slug === '' ? name.toLowerCase() : slug)
      .replace(/^pa_/, '')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-');
    if (key === '' || options.length === 0) return [];
    return [{ namespace: ATTRIBUTES, key, type: TEXT, value: options.map(decodedName).join(', ') }];
  });
}

function onlyVariant(
  product: WooProduct,
  metafields: readonly MetafieldValue[],
  { identity, weightUnit, variantMetafields }: MapScope,
): VariantSnapshot {
  const id = String(product.id);
  return {
    externalId: variantExternalId(identity, id, id),
    storeId: id,
    title: '',
    sku: orNull(product.sku),
    barcode: orNull(product.global_unique_id),
    options: [],
    weight: weighed(product.weight, weightUnit),
    imageUrls: [],
    metafields: metafields.filter(({ namespace, key }) => variantMetafields.includes(`${namespace}.${key}`)),
  };
}

/** A variation without a SKU answers that of its product, which is not its own. */
function variantOf(
  product: WooProduct,
  variation: WooVariation,
  { identity, weightUnit }: MapScope,
): VariantSnapshot {
  const id = String(variation.id);
  const own = (value: string, inherited: string): string | null =>
    value === inherited ? null : orNull(value);
  return {
    externalId: variantExternalId(identity, String(product.id), id),
    storeId: id,
    title: decodedName(variation.name),
    sku: own(variation.sku, product.sku),
    barcode: own(variation.global_unique_id, product.global_unique_id),
    options: variation.attributes.map(({ name, option }) => ({
      name: decodedName(name),
      value: decodedName(option),
    })),
    weight: weighed(variation.weight, weightUnit),
    imageUrls: variation.image === null || variation.image.src === '' ? [] : [variation.image.src],
    metafields: [],
  };
}

function weighed(weight: string, unit: string | null): string | null {
  return weight === '' || unit === null ? null : `${weight} ${unit}`;
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
