import { z } from 'zod';
import type { OwedProduct } from '../domain/owed.js';
import { json } from './database.js';
import { NOTE_OWED } from './owed.repository.js';
import type { PlanScratch } from './plan-scratch.js';
import type { PlanSession } from './plan-session.js';

/**
 * The products that a plan puts off, and the earlier ones that it settles.
 *
 * SQL: products are put off in scratch tables that no entity describes.
 */
export class PlanOwed {
  /** Products that have identifiers and no link; null where they are unknown, or too many to be kept in memory. */
  #unlinked: readonly string[] | null = null;

  /** Store ids that were asked for and do not exist. */
  #gone: readonly string[] = [];

  constructor(
    private readonly session: PlanSession,
    private readonly scratch: PlanScratch,
  ) {}

  /** Products that cannot be planned now; `settle` notes them as owed. */
  async putOff(products: readonly OwedProduct[]): Promise<void> {
    if (products.length === 0) return;
    await this.scratch.make('put_off');
    await this.session.affected('INSERT INTO put_off SELECT * FROM jsonb_array_elements($1::jsonb)', [
      json(products),
    ]);
  }

  /** Products that are planned again are no longer put off. */
  async withdraw(externalIds: readonly string[]): Promise<void> {
    if (!this.scratch.has('put_off')) return;
    await this.session.affected(`DELETE FROM put_off WHERE product->>'externalId' = ANY($1)`, [externalIds]);
  }

  /** Products that were asked for by their store ids and do not exist. */
  gone(storeIds: readonly string[]): void {
    this.#gone = [...this.#gone, ...storeIds];
  }

  /**
   * Finds products that have identifiers and never got into the catalog, for `settle`. It goes through all identifiers of the store, so it
   * has a connection of its own, on which it may run beside the plan. No other plan adds such products meanwhile.
   */
  async findUnlinked(): Promise<void> {
    const { db, run } = this.session;
    const rows = await db.read(
      z.object({ product: z.string() }),
      // SQL: `NOT EXISTS` on the links. Each product once, as it has several identifiers. Without the bounds PostgreSQL would go through the
      // links of all stores, which are in the order of their external_ids.
      `SELECT product FROM (SELECT DISTINCT product FROM product_identifier WHERE store = $1) AS known
       WHERE NOT EXISTS (SELECT 1 FROM store_product WHERE store_product.external_id = known.product
         AND store_product.external_id BETWEEN (SELECT min(product) FROM product_identifier WHERE store = $1)
           AND (SELECT max(product) FROM product_identifier WHERE store = $1))
       LIMIT $2`,
      [run.store, MOST_UNLINKED + 1],
    );
    this.#unlinked = rows.length > MOST_UNLINKED ? null : rows.map(({ product }) => product);
  }

  /**
   * A decided product is no longer owed; a product that was put off is. `complete`: the read met every product that
   * there is. Rows noted while this plan was made are left alone.
   */
  async settle(complete: boolean): Promise<void> {
    const { id, store } = this.session.run;
    // A product that never got into the catalog and has left the store stands in nobody's way.
    if (complete && this.#unlinked?.length !== 0) {
      await this.session.affected(
        `DELETE FROM product_identifier AS known WHERE store = $1 AND ($2::text[] IS NULL OR product = ANY($2))
           AND ${IS_UNLINKED} AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.external_id = known.product)`,
        [store, this.#unlinked],
      );
    }
    const hasPutOff = this.scratch.has('put_off');
    await this.session.affected(
      `DELETE FROM owed_product AS owed WHERE store = $2 AND noted_at <= now()
         AND ($3 OR EXISTS (SELECT 1 FROM seen WHERE seen.external_id = owed.external_id)
           OR owed.store_id = ANY($4))
         AND NOT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1 AND sync_action.external_id = owed.external_id)
         ${hasPutOff ? `AND NOT EXISTS (SELECT 1 FROM put_off WHERE product->>'externalId' = owed.external_id)` : ''}`,
      [id, store, complete, this.#gone],
    );
    if (!hasPutOff) return;
    const rows = await this.session.read(
      z.object({ products: z.string() }),
      // SQL: reads a scratch table.
      'SELECT json_agg(product)::text AS products FROM put_off HAVING count(*) > 0',
    );
    for (const { products } of rows) await this.session.affected(NOTE_OWED, [products, store]);
  }
}

const MOST_UNLINKED = 1_000;

/** The identifier `known` is that of a product which has no link. */
const IS_UNLINKED =
  'NOT EXISTS (SELECT 1 FROM store_product WHERE store_product.external_id = known.product)';
