/**
 * What the catalog holds of `product_identifier` is noted when it is sent.
 *
 * SQL: a part of the statements that settle actions and creations.
 */

const WITHHELD_ONE = `jsonb_build_array(jsonb_build_object('kind', known.kind, 'value', known.value, 'owner', known.owner))`;

/** In a statement with the rows `linked` of `store_product`: the catalog has their identifiers, but for the withheld ones. */
export const heldAfterLink = `UPDATE product_identifier AS known SET held = NOT linked.withheld @> ${WITHHELD_ONE}
  FROM linked WHERE known.store = linked.store AND known.product = linked.external_id AND known.wanted`;
