import type { CatalogProduct, CatalogVariant } from './schemas.js';
import { isRecord } from '../runtime/untrusted-json.js';

/**
 * Products of answers in their usual form, read without zod (docs/decisions/0026-usual-lines-are-read-without-zod.md). Each function
 * returns the product as it is, which is what its schema returns for it, or null where only the schema can say what it is.
 */
type Usual<T> = (entry: unknown) => T | null;

export const usualProduct: Usual<CatalogProduct> = (entry) => (isProduct(entry) ? entry : null);

export const usualVariant: Usual<CatalogVariant> = (entry) => (isVariant(entry) ? entry : null);

function isProduct(entry: unknown): entry is CatalogProduct {
  return isVariant(entry) && isInteger(entry.id);
}

function isVariant(entry: unknown): entry is CatalogVariant {
  return isPlain(entry) && hasMembers(entry, MEMBERS);
}

type Checks = ReadonlyMap<string, (value: unknown) => boolean>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);
const isList =
  (isMember: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isMember);
const isObject =
  (members: Checks) =>
  (value: unknown): boolean =>
    isPlain(value) && hasMembers(value, members);

const CRAWL: Checks = new Map([
  ['reference_string', isText],
  ['source_url', isText],
]);
const IMAGE: Checks = new Map([
  ['source_url', isText],
  ['order', Number.isFinite],
]);
/** Checks of members that are there and not null. Other members pass as they are. */
const MEMBERS: Checks = new Map([
  ['sku', isText],
  ['barcode', isText],
  ['mpn', isText],
  ['asin', isText],
  ['brand', isText],
  ['category', isText],
  ['name', isText],
  ['description', isText],
  ['url', isText],
  ['html_description', isText],
  ['external_id', isText],
  ['open_attributes', isPlain],
  ['crawl_configuration', isObject(CRAWL)],
  ['images', isList(isObject(IMAGE))],
  ['metadata', isPlain],
  ['product_lists', isList(isText)],
  ['tags_to_update', isList(isInteger)],
  ['variants', isList(isVariant)],
  ['id', isInteger],
  ['is_product_model', (value: unknown) => typeof value === 'boolean'],
  ['created_at', isText],
  ['sections', isList(isPlain)],
]);

/** The schemas leave out a member of the name `__proto__`, which text of JSON can have. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !Object.hasOwn(value, '__proto__');
}

function hasMembers(object: Readonly<Record<string, unknown>>, checks: Checks): boolean {
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value != null && checks.get(name)?.(value) === false) return false;
  }
  return true;
}
