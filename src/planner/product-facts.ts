import { metafieldName } from '../domain/metafield-key.js';
import { jsonOrNull } from '../domain/text.js';
import type { BrandSource } from '../domain/store-settings.js';
import type { MetafieldValue, ProductSnapshot, VariantSnapshot } from '../domain/snapshot.js';
import { isMissing, isPlaceholder, namesCategory, words } from './placeholders.js';

/*
 * The facts about a product that a careful person would give the catalog, where the store's own field has a
 * placeholder, the shop's name, or one code for all sizes. Every rule comes from exports of real shops; the mapper's
 * tests have a case of each.
 */

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

/**
 * The brand that `mapping.brand` finds; null for none. `auto` takes the vendor unless it is a placeholder or the shop's own
 * name: stores fill the vendor with that name by themselves. `vendor` takes any vendor but a placeholder, `none` takes none, and
 * `namespace.key` the text of that metafield, unless it is a placeholder.
 */
export function brandOf(
  product: Pick<ProductSnapshot, 'vendor' | 'metafields'>,
  source: BrandSource,
  shop: ShopNames,
): string | null {
  if (source === 'none') return null;
  const isField = source !== 'auto' && source !== 'vendor';
  const vendor = isField ? metafieldText(product.metafields, source) : product.vendor;
  if (vendor === null || isPlaceholder(vendor)) return null;
  return source === 'auto' && isShopName(vendor, shop) ? null : vendor;
}

/** What a shop is called: by its domain, and by itself. New shops have random domains. */
export interface ShopNames {
  readonly shop: string;
  readonly shopName?: string;
}

/** `Partners Demo Store` is the name of the shop `partners-demo`. */
function isShopName(vendor: string, { shop, shopName = '' }: ShopNames): boolean {
  const [domain = ''] = shop.split('.');
  const name = nameWithoutGenericWords(vendor);
  return name !== '' && [domain, shopName].some((own) => nameWithoutGenericWords(own) === name);
}

const GENERIC_WORDS = new Set(['shop', 'store', 'official', 'online', 'the']);

function nameWithoutGenericWords(text: string): string {
  return words(text)
    .split(' ')
    .filter((word) => !GENERIC_WORDS.has(word))
    .join('');
}

/** Longer values are no identifier, name or reference. */
const LONGEST_TEXT = 1000;
/** The store's own limit of an address. */
const LONGEST_ADDRESS = 2048;

/**
 * The text of a metafield of the product or, for a product with one variant, of that variant. Null when neither has
 * one: also for several texts, for an object or a reference, and for a text of more than 1,000 characters.
 */
export function metafieldText(metafields: readonly MetafieldValue[], name: string): string | null {
  return textWithin(metafields, name, LONGEST_TEXT);
}

/** The same for an address that the catalog accepts: absolute, `http:` or `https:`, of at most 2,048 characters. */
export function metafieldAddress(metafields: readonly MetafieldValue[], name: string): string | null {
  const text = textWithin(metafields, name, LONGEST_ADDRESS);
  if (text === null || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  if (!/^https?:$/.test(protocol)) return null;
  // An address with spaces or letters outside of ASCII is not a URI: its encoded form is sent.
  const address = /^[\x21-\x7e]+$/.test(text) ? text : href;
  return address.length > LONGEST_ADDRESS ? null : address;
}

function textWithin(metafields: readonly MetafieldValue[], name: string, most: number): string | null {
  const found = name === '' ? undefined : metafields.find((field) => metafieldName(field) === name);
  const text = found === undefined || found.value.length > VALUE_MOST ? '' : (textOf(found) ?? '').trim();
  return text.length > most || isMissing(text) ? null : text;
}

/** The most characters of a metafield's whole value, such as a list with one address. */
const VALUE_MOST = 65_536;
const OBJECT_TYPES = new Set(['json', 'rich_text_field', 'money', 'rating', 'dimension', 'weight', 'volume']);

function textOf({ type, value }: MetafieldValue): string | null {
  if (type.endsWith('_reference') || OBJECT_TYPES.has(type)) return null;
  if (type === 'link') return linkAddress(jsonOrNull(value));
  if (!type.startsWith('list.')) return value;
  const entries = jsonOrNull(value);
  if (!Array.isArray(entries) || entries.length !== 1) return null;
  const [only] = entries as unknown[];
  return typeof only === 'string' || typeof only === 'number' ? String(only) : null;
}

function linkAddress(link: unknown): string | null {
  if (typeof link !== 'object' || link === null || !('url' in link)) return null;
  return typeof link.url === 'string' ? link.url : null;
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
