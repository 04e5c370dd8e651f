import type { CatalogClient } from '../catalog/client.js';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct } from '../catalog/schemas.js';

/** Pages of at most so many products are asked for. A service may answer with fewer: only `next` is followed. */
const PAGE_SIZE = 250;
/** Oldest first: new products are added at the end and do not shift pages. */
export const OLDEST_FIRST = { sorting: 'asc', orderBy: 'date', pageSize: PAGE_SIZE } as const;
/** Products that are new since an earlier walk come first. */
export const NEWEST_FIRST = { sorting: 'desc', orderBy: 'date' } as const;

/**
 * Calls `onPage` with the products of every listed page, from the oldest to the newest product.
 *
 * True when the listing was complete: it showed as many products as the service counts. A product that is deleted meanwhile may shift
 * another one out of sight: then later pages count fewer than the first. Throws what a page's request throws.
 */
export async function walkListing(
  client: Pick<CatalogClient, 'productPages'>,
  first: Page<CatalogProduct>,
  onPage: (products: readonly CatalogProduct[]) => void | Promise<void>,
): Promise<boolean> {
  const shown = new Set<number>();
  let fewestCounted = Number.POSITIVE_INFINITY;
  let mostCounted = 0;
  for await (const { count, results } of client.productPages(OLDEST_FIRST, first)) {
    fewestCounted = Math.min(fewestCounted, count ?? Number.NEGATIVE_INFINITY);
    mostCounted = Math.max(mostCounted, count ?? 0);
    for (const { id } of results) shown.add(id);
    await onPage(results);
  }
  return first.count !== null && fewestCounted >= first.count && shown.size >= mostCounted;
}
