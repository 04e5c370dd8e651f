import { metafieldName } from '../domain/metafield-key.js';
import type { BrandSource } from '../domain/store-settings.js';
import type { MetafieldValue, ProductSnapshot, VariantSnapshot } from '../domain/snapshot.js';

/*
 * The facts about a product that a careful person would give the catalog, where the store's own field has a
 * placeholder, the shop's name, or one code for all sizes. Every rule comes from exports of real shops; the mapper's
 * tests have a case of each.
 */

/** Categories that stores and importers insert when none was chosen, compared in lower case without punctuation. */
const NO_CATEGORY = new Set([
  'uncategorized',
  'uncategorised',
  'unkategorisiert',
  'non classé',
  'sin categoría',
  'senza categoria',
  'geen categorie',
  'no category',
  'default category',
]);

/** Texts that people and importers put into a mandatory field without a value. */
const PLACEHOLDERS = new Set([
  'na',
  'none',
  'null',
  'undefined',
  'unknown',
  'no brand',
  'no vendor',
  'vendor',
  'brand',
  'tbd',
]);

/**
 * The catalog's category and, when the store has both, the product type as a separate fact. Null when there is none.
 */
export function categoryAndType(product: Pick<ProductSnapshot, 'category' | 'productType'>): {
  readonly category: string | null;
  readonly productType: string | null;
} {
  const category = namesCategory(product.category) ? product.category : null;
  const type = namesCategory(product.productType) ? product.productType : null;
  return category === null ? { category: type, productType: null } : { category, productType: type };
}

function namesCategory(text: string | null): boolean {
  const leaf = text?.split('>').at(-1) ?? '';
  return !isPlaceholder(leaf) && !NO_CATEGORY.has(words(leaf));
}

/**
 * The brand that `mapping.brand` finds; null for none. `auto` takes the vendor unless it is a placeholder or the shop's own
 * name: stores fill the vendor with that name by themselves. `vendor` takes any vendor but a placeholder, `none` none, and
 * `namespace.key` the text of that metafield.
 */
export function brandOf(
  product: Pick<ProductSnapshot, 'vendor' | 'metafields'>,
  source: BrandSource,
  shop: string,
): string | null {
  if (source === 'none') return null;
  if (source !== 'auto' && source !== 'vendor') return metafieldText(product.metafields, source);
  const { vendor } = product;
  if (vendor === null || isPlaceholder(vendor)) return null;
  return source === 'auto' && isShopName(vendor, shop) ? null : vendor;
}

/** `Partners Demo Store` is the name of `partners-demo.myshopify.com`. */
function isShopName(vendor: string, shop: string): boolean {
  const [domain = ''] = shop.split('.');
  const own = nameWithoutGenericWords(domain);
  return own !== '' && nameWithoutGenericWords(vendor) === own;
}

const GENERIC_WORDS = new Set(['shop', 'store', 'official', 'online', 'the']);

function nameWithoutGenericWords(text: string): string {
  return words(text)
    .split(' ')
    .filter((word) => !GENERIC_WORDS.has(word))
    .join('');
}

/**
 * The SKU that all variants of a product with several variants share; null where they differ. Such a code names the
 * product, because as the SKU of each variant it could not be unique.
 */
export function sharedSku(
  product: Pick<ProductSnapshot, 'variants' | 'hasOnlyDefaultVariant'>,
): string | null {
  const [first, ...others] = product.variants;
  if (first === undefined || others.length === 0 || first.sku === null) return null;
  return others.every(({ sku }) => sku === first.sku) ? first.sku : null;
}

/**
 * The text of a metafield of the product or, for a product with one variant, of that variant. Null when neither has
 * one.
 */
export function metafieldText(metafields: readonly MetafieldValue[], name: string): string | null {
  if (name === '') return null;
  const found = metafields.find((field) => metafieldName(field) === name);
  const text = found?.value.trim() ?? '';
  return text === '' ? null : text;
}

/** The same for an address that the catalog accepts: absolute, `http:` or `https:`. */
export function metafieldAddress(metafields: readonly MetafieldValue[], name: string): string | null {
  const text = metafieldText(metafields, name);
  if (text === null || !URL.canParse(text)) return null;
  return /^https?:$/.test(new URL(text).protocol) ? text : null;
}

/** Ids of the catalog tags for the store's tags, each once, in ascending order. Letter case is ignored. */
export function tagIds(tags: readonly string[], ids: Readonly<Record<string, number>>): number[] {
  const byTag = new Map(Object.entries(ids).map(([tag, id]) => [tag.trim().toLowerCase(), id]));
  const found = tags.flatMap((tag) => byTag.get(tag.trim().toLowerCase()) ?? []);
  return [...new Set(found)].sort((one, other) => one - other);
}

/** The only variant of a product without options. */
export function onlyVariant(product: ProductSnapshot): VariantSnapshot | undefined {
  return product.hasOnlyDefaultVariant ? product.variants[0] : undefined;
}

function isPlaceholder(text: string): boolean {
  const bare = words(text);
  return bare === '' || PLACEHOLDERS.has(bare) || PLACEHOLDERS.has(bare.replaceAll(' ', ''));
}

/** Lower case, with each run of characters other than letters, marks and digits as one space. */
function words(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
