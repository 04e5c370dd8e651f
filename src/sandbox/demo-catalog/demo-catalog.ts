import { readFileSync } from 'node:fs';

/**
 * The built-in demo catalogue, an ordinary product export. It has clothing with several options, texts in several
 * scripts, drafts, an archived product and a gift card. It also has a product for each problem of real shops: a
 * shared SKU, no identifier, no text, no image, a very long title, old markup. The tags `sandbox-failed` and
 * `sandbox-no-urls` mark the two whose generation shall not succeed.
 */
export const DEMO_CATALOG_FILE = new URL('products.csv', import.meta.url);

export function demoCatalogCsv(): string {
  return readFileSync(DEMO_CATALOG_FILE, 'utf8');
}
