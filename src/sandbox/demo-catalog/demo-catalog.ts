import { readFileSync } from 'node:fs';

/**
 * The built-in demo catalogue, a product export like any other: clothing with several options, texts in several scripts,
 * drafts, an archived product, a gift card, and one product for each kind of trouble a real shop has: a SKU that two share,
 * no identifier, no text, no image, the longest title there is, markup of an old shop system. The tags `sandbox-fail` and
 * `sandbox-no-urls` mark the two whose generation shall not succeed.
 */
export const DEMO_CATALOG_FILE = new URL('products.csv', import.meta.url);

export function demoCatalogCsv(): string {
  return readFileSync(DEMO_CATALOG_FILE, 'utf8');
}
