import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { Database } from './database.js';
import type { PlannedRun } from './plan-rows.js';

/** What the read of a run covers. */
interface CoveredRead {
  /** It showed every product that there is. */
  readonly complete: boolean;
  /** Store ids that were asked for and do not exist. */
  readonly gone: readonly string[];
}

/**
 * Settles the owed products that the read of a run covers: what was noted before the read began, and needs no action. What was noted later
 * may be news that the read does not show. What the catalog still creates is owed until that ends.
 */
export async function settleOwed(
  db: Database,
  { id, store }: PlannedRun,
  { complete, gone }: CoveredRead,
  runner: QueryRunner,
): Promise<void> {
  // A product that never got into the catalog and has left the store stands in nobody's way.
  if (complete)
    await db.affected(
      // SQL: anti-joins with the links and the products of the read.
      `DELETE FROM product_identifier AS known WHERE store = $2
         AND NOT EXISTS (SELECT 1 FROM store_product WHERE store_product.external_id = known.product)
         AND NOT EXISTS (SELECT 1 FROM seen_product AS seen WHERE seen.run_id = $1 AND seen.external_id = known.product)`,
      [id, store],
      runner,
    );
  await db.affected(
    // SQL: guarded by the time at which the read began, by the clock of the database.
    `DELETE FROM owed_product AS owed USING sync_run AS run WHERE run.id = $1 AND owed.store = $2 AND owed.noted_at <= run.read_from
       AND ($3 OR EXISTS (SELECT 1 FROM seen_product AS seen WHERE seen.run_id = $1 AND seen.external_id = owed.external_id)
         OR owed.store_id = ANY($4))
       AND NOT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1 AND sync_action.external_id = owed.external_id AND state <> 'dropped')
       AND NOT EXISTS (SELECT 1 FROM store_product AS creating WHERE creating.external_id = owed.external_id AND creation_task_id IS NOT NULL)`,
    [id, store, complete, gone],
    runner,
  );
}

/** Products of one statement. A first load has hundreds of thousands of identifiers. */
const CLAIMED_AT_ONCE = 5_000;

const nextRow = z.object({ last: z.string().nullable() });

/**
 * Replaces what is known of the identifiers of the products that a plan has actions for by those that they have now. An identifier that a
 * product gave up is kept until the catalog has released it, unless it was withheld and so never sent. Products whose actions came to
 * nothing remember what is withheld from them.
 */
export async function claimIdentifiers(
  db: Database,
  { id, store, workspace }: PlannedRun,
  runner: QueryRunner,
): Promise<void> {
  for (let after = '0'; ;) {
    const next = await db.readOne(
      nextRow,
      // SQL: the last of so many actions.
      `SELECT max(id) AS last FROM (SELECT id FROM sync_action WHERE run_id = $1 AND id > $2 AND ${WITH_PRODUCT} ORDER BY id LIMIT $3) AS step`,
      [id, after, CLAIMED_AT_ONCE],
      runner,
    );
    const last = next?.last ?? null;
    if (last === null) break;
    await db.affected(CLAIM, [id, store, workspace, after, last], runner);
    after = last;
  }
  await db.affected(
    // SQL: what the catalog still holds for products that have left the store is released by their actions.
    `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product, wanted)
     SELECT $3, kind, folded, value, owner, $2, product, false FROM planned_identifier WHERE run_id = $1 AND NOT wanted ON CONFLICT DO NOTHING`,
    [id, store, workspace],
    runner,
  );
  await db.affected(
    // SQL: most of these products remember the same already, because such a product is planned in every run.
    `UPDATE store_product AS product SET withheld = action.withheld, state = ${STATE_WITH_WITHHELD}
     FROM sync_action AS action WHERE action.run_id = $1 AND action.state = 'dropped' AND action.error IS NULL
       AND product.external_id = action.external_id
       AND (product.withheld, product.state) IS DISTINCT FROM (action.withheld, ${STATE_WITH_WITHHELD})`,
    [id],
    runner,
  );
  await db.affected(`DELETE FROM sync_action WHERE run_id = $1 AND state = 'dropped'`, [id], runner);
}

/** The action has the product as the store has it now. An orphan has none. */
const WITH_PRODUCT = `state IN ('draft', 'dropped') AND body IS NOT NULL`;

const STATE_WITH_WITHHELD = `CASE WHEN product.state = 'orphaned' THEN product.state
  WHEN action.withheld = '[]' THEN 'linked' ELSE 'conflicted' END`;

// SQL: one statement for thousands of products.
const CLAIM = `WITH product AS MATERIALIZED (
    SELECT external_id FROM sync_action WHERE run_id = $1 AND id > $4 AND id <= $5 AND ${WITH_PRODUCT}
  ), claim AS MATERIALIZED (
    SELECT planned.* FROM product JOIN planned_identifier AS planned ON planned.run_id = $1 AND planned.product = product.external_id
      AND planned.wanted
  ), known AS MATERIALIZED (
    -- Each product by itself. A first load has no statistics yet, and a join would read all that it has inserted so far.
    SELECT had.*, EXISTS (SELECT 1 FROM store_product WHERE store_product.external_id = had.product AND store_product.withheld @>
        jsonb_build_array(jsonb_build_object('kind', had.kind, 'value', had.value, 'owner', had.owner))) AS withheld
    FROM product CROSS JOIN LATERAL (
      SELECT * FROM product_identifier WHERE store = $2 AND product = product.external_id OFFSET 0
    ) AS had
  ), given_up AS (
    SELECT * FROM known WHERE NOT EXISTS (SELECT 1 FROM claim WHERE known.workspace = $3 AND claim.kind = known.kind
      AND claim.folded = known.folded AND claim.owner = known.owner)
  ), never_sent AS (
    DELETE FROM product_identifier AS old USING given_up WHERE given_up.withheld AND old.workspace = given_up.workspace
      AND old.kind = given_up.kind AND old.folded = given_up.folded AND old.owner = given_up.owner
  ), to_release AS (
    UPDATE product_identifier AS old SET wanted = false FROM given_up WHERE NOT given_up.withheld
      AND old.workspace = given_up.workspace AND old.kind = given_up.kind AND old.folded = given_up.folded AND old.owner = given_up.owner
  )
  INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
  SELECT $3, kind, folded, value, owner, $2, product FROM claim
  ON CONFLICT (workspace, kind, folded, owner) DO UPDATE SET wanted = true, value = excluded.value`;
