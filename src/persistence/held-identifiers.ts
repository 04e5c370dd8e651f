/**
 * What the catalog holds of `product_identifier`: noted when it is sent, and forgotten when it is released.
 *
 * SQL: parts of the statements that settle actions and creations.
 */

const WITHHELD_ONE = `jsonb_build_array(jsonb_build_object('kind', known.kind, 'value', known.value, 'owner', known.owner))`;

/** In a statement with the rows `linked` of `store_product`: the catalog has their identifiers, but for the withheld ones. */
export const heldAfterLink = `UPDATE product_identifier AS known SET held = NOT linked.withheld @> ${WITHHELD_ONE}
  FROM linked WHERE known.store = linked.store AND known.product = linked.external_id AND known.wanted`;

/** The condition for one product, in `releasing`. */
export const ONE_PRODUCT = 'store = $3 AND product = $1';

/**
 * Forgets identifiers that the catalog no longer holds: the stale ones, or all of them unless `$2`. `products` is a condition. Products from
 * which one of them is withheld are owed: they may have it now.
 */
// SQL: one statement removes the identifiers and owes the products that wait for them, so that none is missed.
export const releasing = (products: string): string => `WITH released AS (
    DELETE FROM product_identifier WHERE ${products} AND (NOT wanted OR NOT $2) RETURNING workspace, kind, folded
  )
  INSERT INTO owed_product (external_id, store, store_id, label, code)
  SELECT DISTINCT ON (waiting.external_id) waiting.external_id, waiting.store, waiting.store_id, waiting.label, 'identifier_released'
  FROM released JOIN store_product AS waiting ON waiting.workspace = released.workspace
    AND waiting.withheld <> '[]' AND waiting.state <> 'orphaned'
    AND EXISTS (SELECT 1 FROM jsonb_to_recordset(waiting.withheld) AS one(kind text, value text)
      WHERE one.kind = released.kind AND lower(one.value) = released.folded)
  ON CONFLICT DO NOTHING`;
