import { setImmediate } from 'node:timers/promises';
import type { CatalogClient } from '../catalog/client.js';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { oneAhead } from '../runtime/one-ahead.js';

/** Oldest first: new products are added at the end and do not shift pages. */
export const OLDEST_FIRST = { sorting: 'asc', orderBy: 'date' } as const;
/** Products that are new since an earlier walk come first. */
export const NEWEST_FIRST = { sorting: 'desc', orderBy: 'date' } as const;

/**
 * Calls `onPage` with the products of every listed page; each page is read once, while the products of the page before are taken. True
 * when the listing was complete: it held as many products as the service counted on the last page. A product that is deleted meanwhile
 * may shift another one out of sight: then the last page counts fewer than the first. Throws what a page's request throws.
 */
export async function walkListing(
  client: Pick<CatalogClient, 'productPages'>,
  first: Page<CatalogProduct>,
  onPage: (products: readonly CatalogProduct[]) => void | Promise<void>,
): Promise<boolean> {
  const met = new Set<number>();
  let last = first;
  for await (const page of oneAhead(client.productPages(OLDEST_FIRST, first))) {
    // Sends the request for the next page first: parsing the products of this one blocks the event loop.
    await setImmediate();
    for (const { id } of page.results) met.add(id);
    await onPage(page.results);
    last = page;
  }
  const { count } = last;
  return first.count !== null && count !== null && count >= first.count && met.size >= count;
}
