import { z } from 'zod';
import type { Database } from './database.js';

/** How a full run finds linked products that the catalog no longer has: by its listing, or by a look at each. Null: nothing is linked. */
export type ComparedBy = 'listing' | 'ids' | null;

/** Products that are linked to a catalog product. Orphaned ones are not among them. */
export const LINKED = `state IN ('linked', 'conflicted') AND catalog_id IS NOT NULL`;

/** With more products than this, of all runs together, the listing is read. */
const LOOKED_UP_MOST = 2_000;
/** Products on one page of the listing. */
const OF_A_PAGE = 50;

const row = z.object({ links: z.int(), isFew: z.boolean() });

/**
 * A small store looks its products up where that takes fewer requests than the listing of a workspace with large stores. All runs of the
 * workspace that are due count, because they would share the listing.
 */
export async function comparedBy(
  db: Database,
  { store, workspace }: { readonly store: string; readonly workspace: string },
): Promise<ComparedBy> {
  const found = await db.readOne(
    row,
    // SQL: counts no further than it takes to decide.
    `WITH own AS (
       SELECT count(*)::int AS links FROM (SELECT 1 FROM store_product WHERE store = $1 AND ${LINKED} LIMIT $3 + 1) AS found
     ), due AS (
       SELECT greatest(count(*), 1)::int AS runs FROM sync_run WHERE workspace = $2 AND state IN ('queued', 'running')
     )
     SELECT links, links * runs <= $3 AND EXISTS (
       SELECT 1 FROM store_product WHERE workspace = $2 AND ${LINKED} OFFSET links * runs * $4) AS is_few
     FROM own, due`,
    [store, workspace, LOOKED_UP_MOST, OF_A_PAGE],
  );
  if (found === null || found.links === 0) return null;
  return found.isFew ? 'ids' : 'listing';
}
