import { z } from 'zod';
import type { OwedProduct } from '../domain/owed.js';
import { json, type Database } from './database.js';
import { isBeingWritten } from './held-product.js';
import { NOTE_OWED } from './owed.repository.js';
import { HELD_RUN } from './plan-drafts.js';
import {
  linkRow,
  type FirstSeen,
  type LinkRow,
  type PlannedRun,
  type UnchangedProduct,
} from './plan-rows.js';

/**
 * The products that a read showed, and what is known of each.
 *
 * SQL: each statement covers the products of a batch, and is guarded by the lease of the run.
 */
export class PlanReads {
  /** Products that the catalog no longer has. */
  readonly #gone = new Set<string>();

  constructor(
    private readonly db: Database,
    private readonly run: PlannedRun,
  ) {}

  async links(externalIds: readonly string[]): Promise<Map<string, LinkRow>> {
    const rows = await this.db.read(
      linkRow,
      // SQL: `LINK` computes whether a write is in progress, by the clock of the database.
      `SELECT ${LINK} FROM store_product AS product WHERE external_id = ANY($1) AND store = $2`,
      [externalIds, this.run.store, this.run.workspace],
    );
    return new Map(
      rows.map((row) => [
        row.externalId,
        { ...row, goneFromCatalog: row.isElsewhere || this.#gone.has(row.externalId) },
      ]),
    );
  }

  /** The catalog no longer has these products: the plan creates them again. */
  noteGone(externalIds: readonly string[]): void {
    for (const externalId of externalIds) this.#gone.add(externalId);
  }

  /** Records the products of a batch, and returns those that are new in this run, with their links. */
  async firstSeen(externalIds: readonly string[]): Promise<FirstSeen> {
    const { id, lease } = this.run;
    const fresh = await this.db.texts(
      // SQL: one statement says which products no earlier batch had.
      `WITH held AS (${HELD_RUN})
       INSERT INTO seen_product (run_id, external_id) SELECT held.id, read.external_id
       FROM held, (SELECT DISTINCT unnest($3::text[]) AS external_id) AS read ON CONFLICT DO NOTHING RETURNING external_id`,
      [id, lease, externalIds],
    );
    if (fresh.length === 0) return new Map();
    const links = await this.links(fresh);
    return new Map(fresh.map((externalId) => [externalId, links.get(externalId) ?? null]));
  }

  /**
   * Notes the fingerprints of unchanged products. They are true whatever comes of the plan, so that they are written at once. A product
   * whose fingerprint has changed since it was compared keeps that. A dry run notes nothing.
   */
  async rememberUnchanged(products: readonly UnchangedProduct[]): Promise<void> {
    const { id, lease, isDry } = this.run;
    if (products.length === 0 || isDry) return;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       UPDATE store_product AS product SET source_fingerprint = row.fingerprint
       FROM held, jsonb_to_recordset($3::jsonb) AS row("externalId" text, before text, fingerprint text)
       WHERE product.external_id = row."externalId" AND product.source_fingerprint IS NOT DISTINCT FROM row.before`,
      [id, lease, json(products)],
    );
  }

  /** Products that cannot be planned now are owed to the next run. */
  async putOff(products: readonly OwedProduct[]): Promise<void> {
    if (products.length === 0 || this.run.isDry) return;
    await this.db.affected(NOTE_OWED, [json(products), this.run.store]);
  }

  /** Those of the products that the read showed. */
  async seenOf(externalIds: readonly string[]): Promise<Set<string>> {
    const seen = await this.db.texts(
      // SQL: one array for all products.
      'SELECT external_id FROM seen_product WHERE run_id = $1 AND external_id = ANY($2)',
      [this.run.id, externalIds],
    );
    return new Set(seen);
  }

  /** Store ids of the linked products that the read did not show. */
  async unseen(): Promise<{ externalId: string; storeId: string }[]> {
    return this.db.read(
      z.object({ externalId: z.string(), storeId: z.string() }),
      // SQL: `NOT EXISTS` on the products of the read.
      `SELECT external_id, store_id FROM store_product AS product WHERE store = $2 AND state <> 'orphaned'
         AND NOT EXISTS (SELECT 1 FROM seen_product AS seen WHERE seen.run_id = $1 AND seen.external_id = product.external_id)`,
      [this.run.id, this.run.store],
    );
  }

  /** Updates the statistics of the tables that a plan fills. Without them PostgreSQL may read a whole table for each row of another. */
  async analyse(): Promise<void> {
    await this.db.affected('ANALYZE sync_action, planned_identifier, seen_product');
  }
}

/** The columns of a product's row, the alias `product`, that make a link in the workspace `$3`. */
const LINK = `product.external_id, product.state, product.catalog_id, product.source_fingerprint, product.pushed_fields, product.written,
  product.withheld, product.workspace <> $3 AS is_elsewhere, product.creation_task_id IS NOT NULL AND product.workspace = $3 AS creating,
  ${isBeingWritten('product')} AS writing`;
