import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { Database } from './database.js';

/**
 * True for a claim that a product left behind when its store got another workspace. It stands in nobody's way: whether the catalog still
 * has the value is for the catalog to say. It is kept in case the store comes back.
 */
export function isLeftBehind(claim: string): string {
  return `(NOT ${claim}.wanted AND EXISTS (SELECT 1 FROM store_product AS moved
    WHERE moved.external_id = ${claim}.product AND moved.workspace <> ${claim}.workspace))`;
}

/**
 * `kind\0folded` to the external_ids of the owners that stand in each other's way, in every store of the workspace, for those identifiers of
 * the given products that more than one owner has. What the catalog holds for a product already is not taken away by another store's
 * newcomer.
 */
export async function ownersByIdentifier(
  db: Database,
  { workspace, store }: { readonly workspace: string; readonly store: string },
  products: readonly string[],
  runner?: QueryRunner,
): Promise<Map<string, string[]>> {
  const rows = await db.read(
    ownersRow,
    // SQL: measured. It looks each up by itself, which uses the indexes also on a table that a first load has just filled.
    `SELECT DISTINCT own.kind, own.folded, shared.owners FROM unnest($2::text[]) AS asked(product)
     CROSS JOIN LATERAL (
       -- IS TRUE: not by the index that has the workspace first, which would be read whole for each.
       SELECT kind, folded, held FROM product_identifier WHERE store = $3 AND product = asked.product AND wanted AND (workspace = $1) IS TRUE OFFSET 0
     ) AS own
     CROSS JOIN LATERAL (
       SELECT array_agg(DISTINCT owner ORDER BY owner) AS owners FROM product_identifier AS claim
       WHERE claim.workspace = $1 AND claim.kind = own.kind AND claim.folded = own.folded
         AND (claim.store = $3 OR claim.held OR NOT own.held)
         -- What the product's own variants held is released before it is sent anew.
         AND (claim.wanted OR claim.product <> asked.product) AND NOT ${isLeftBehind('claim')}
     ) AS shared
     WHERE cardinality(shared.owners) > 1`,
    [workspace, products, store],
    runner,
  );
  return new Map(rows.map((row) => [`${row.kind}\u0000${row.folded}`, row.owners]));
}

const ownersRow = z.object({ kind: z.string(), folded: z.string(), owners: z.array(z.string()) });
