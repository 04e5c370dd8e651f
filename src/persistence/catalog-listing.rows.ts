import { z } from 'zod';
import { json, type Database, type SqlValue } from './database.js';
import type { HolderRow, ListedRow } from './plan-rows.js';
import { countRow, counted, idRow } from './rows.js';
import { keepLease, LEASE, RELEASED } from './leased-rows.js';

const listingRow = z.object({ id: z.string(), complete: z.boolean(), products: counted });
/** A listing of the catalog that was read to its end. */
export type CatalogListing = Readonly<z.infer<typeof listingRow>>;

/** The outcome of a walk. */
export interface WalkedListing {
  /** False when it showed fewer products than the service counts. */
  readonly complete: boolean;
  readonly products: number;
}

/** Which listing serves a run. */
export interface ListingDemand {
  /** A listing may have ended this long before. */
  readonly maxAgeMs: number;
  /** A listing that began before this moment does not serve; null allows any. */
  readonly since: Date | null;
}

const modelRow = z.object({ id: z.string(), externalId: z.string() });
export type HiddenModel = Readonly<z.infer<typeof modelRow>>;

/**
 * The rows of a workspace's listing. A walk holds its listing by a lease, so that only one process at a time reads the pages.
 *
 * SQL: each write is guarded by the lease of the walk, and covers thousands of rows.
 */
export class CatalogListingRows {
  constructor(private readonly statements: Database) {}

  /** The moment by the clock of the database, which listings are compared by. */
  now(): Promise<Date> {
    return this.statements.now();
  }

  /** The newest listing that serves: one that meets the demand, or one that began after `asked`, if that is given. Null when there is none. */
  async present(
    workspace: string,
    { maxAgeMs, since }: ListingDemand,
    asked: Date | null,
  ): Promise<CatalogListing | null> {
    return this.statements.readOne(
      listingRow,
      // SQL: by the clock of the database.
      `SELECT id, complete, products FROM catalog_listing WHERE workspace = $1 AND read_at IS NOT NULL
         AND (started_at >= $4::timestamptz OR (read_at > clock_timestamp() - $2 * interval '1 millisecond'
           AND ($3::timestamptz IS NULL OR started_at >= $3)))
       ORDER BY id DESC LIMIT 1`,
      [workspace, maxAgeMs, since, asked],
    );
  }

  /** Starts a walk. Null while another one is in progress. */
  async begin(workspace: string, lease: string): Promise<string | null> {
    await this.#remove(`workspace = $1 AND read_at IS NULL AND lease_until < clock_timestamp()`, [workspace]);
    const row = await this.statements.readOne(
      idRow,
      `INSERT INTO catalog_listing (workspace, lease, lease_until)
       VALUES ($1, $2, clock_timestamp() + ${LEASE})
       ON CONFLICT (workspace) WHERE read_at IS NULL DO NOTHING RETURNING id`,
      [workspace, lease],
    );
    return row?.id ?? null;
  }

  /** False when the lease has ended and another process may read the listing. */
  async keepLease(id: string, lease: string): Promise<boolean> {
    return keepLease(this.statements, 'catalog_listing', id, lease);
  }

  /** Adds products of the listing that are not in it yet. Returns how many were new. */
  async addListed(id: string, workspace: string, products: readonly ListedRow[]): Promise<number> {
    if (products.length === 0) return 0;
    return this.statements.affected(
      // The variants of our own products are known.
      `INSERT INTO catalog_listed (listing_id, kind, value, catalog_id, is_variant, external_id, hides_variants)
       SELECT $1, 'product', "catalogId", "catalogId", false, "externalId", "hidesVariants" AND NOT EXISTS (
         SELECT 1 FROM store_product AS own
         WHERE own.external_id = row."externalId" AND own.workspace = $2 AND own.state <> 'orphaned')
       FROM jsonb_to_recordset($3::jsonb) AS row("catalogId" text, "externalId" text, "hidesVariants" boolean)
       ON CONFLICT DO NOTHING`,
      [id, workspace, json(products)],
    );
  }

  /** Adds the holders that have an identifier; the others are in the rows of `addListed`. */
  async addHolders(id: string, holders: readonly HolderRow[]): Promise<void> {
    const identified = holders.filter(({ kind, value }) => kind !== null && value !== null);
    if (identified.length === 0) return;
    await this.statements.affected(
      `INSERT INTO catalog_listed (listing_id, kind, value, catalog_id, is_variant, external_id)
       SELECT $1, kind, value, "catalogId", "isVariant", "externalId" FROM jsonb_to_recordset($2::jsonb)
         AS row(kind text, value text, "catalogId" text, "isVariant" boolean, "externalId" text)
       ON CONFLICT DO NOTHING`,
      [id, json(identified)],
    );
  }

  /** Without statistics of new rows, the planner may read the whole table for one product. */
  async analyse(): Promise<void> {
    await this.statements.affected('ANALYZE catalog_listed');
  }

  /** Ends a walk that showed so many products. Null when the lease was lost. */
  async finish(id: string, lease: string, walked: WalkedListing): Promise<CatalogListing | null> {
    return this.statements.readOne(
      listingRow,
      `UPDATE catalog_listing SET read_at = clock_timestamp(), ${RELEASED}, complete = $3, products = $4
       WHERE id = $1 AND lease = $2 RETURNING id, complete, products`,
      [id, lease, walked.complete, walked.products],
    );
  }

  /** Removes the listings of the workspace that are older than this one and that no plan uses. */
  async removeBefore(id: string, workspace: string): Promise<void> {
    await this.#remove('workspace = $1 AND id < $2::bigint', [workspace, id]);
  }

  /** Says whether only dry runs have used the listing so far. */
  async markOfDryRuns(id: string, ofDryRuns: boolean): Promise<void> {
    await this.statements.affected(
      'UPDATE catalog_listing SET of_dry_runs = $2 WHERE id = $1::bigint AND of_dry_runs <> $2',
      [id, ofDryRuns],
    );
  }

  /** Removes a listing of dry runs unless a plan still uses it. */
  async removeOfDryRuns(id: string): Promise<void> {
    await this.#remove('id = $1::bigint AND of_dry_runs', [id]);
  }

  /**
   * Removes a walk that failed or lost its lease, and what it added after another process had removed its listing. Called when none of its
   * statements is under way: a later one would leave rows.
   */
  async abandon(id: string): Promise<void> {
    await this.#remove('id = $1::bigint AND read_at IS NULL', [id]);
    await this.#removeWithoutListing('listing_id = $1::bigint', [id]);
  }

  /** Removes listings that ended more than `hours` ago and that no plan uses, and what a walk added after its listing was removed. */
  async removeOlder(hours: number): Promise<void> {
    await this.#remove(`read_at < clock_timestamp() - $1 * interval '1 hour'`, [hours]);
    await this.#removeWithoutListing('true', []);
  }

  /** Of these products those that the listing does not show yet. */
  async unknown(id: string, catalogIds: readonly string[]): Promise<Set<string>> {
    const unknown = await this.statements.texts(
      // SQL: an anti-join with the values of a page.
      `SELECT page.catalog_id FROM unnest($2::text[]) AS page(catalog_id) WHERE NOT EXISTS (SELECT 1 FROM catalog_listed
         WHERE listing_id = $1 AND kind = 'product' AND value = page.catalog_id)`,
      [id, catalogIds],
    );
    return new Set(unknown);
  }

  /** Counts products that were added after the walk. Returns the products of the whole listing. */
  async grow(id: string, added: number): Promise<number> {
    const row = await this.statements.readOne(
      countRow,
      `UPDATE catalog_listing SET products = products + $2 WHERE id = $1 RETURNING products AS count`,
      [id, added],
    );
    return row?.count ?? 0;
  }

  /** Product models of others whose variants are not known, at most `limit`. */
  async hiddenModels(id: string, workspace: string, limit: number): Promise<HiddenModel[]> {
    return this.statements.read(
      modelRow,
      // SQL: an anti-join, because a model may have become ours since the listing was read.
      `SELECT catalog_id AS id, coalesce(external_id, '') AS external_id FROM catalog_listed WHERE listing_id = $1
         AND hides_variants AND NOT EXISTS (SELECT 1 FROM store_product AS own
           WHERE own.external_id = catalog_listed.external_id AND own.workspace = $2 AND own.state <> 'orphaned')
       LIMIT $3`,
      [id, workspace, limit],
    );
  }

  /** The variants of these models were looked up: every later run knows them. */
  async variantsKnown(id: string, catalogIds: readonly string[]): Promise<void> {
    await this.statements.affected(
      `UPDATE catalog_listed SET hides_variants = false WHERE listing_id = $1 AND kind = 'product' AND value = ANY($2)`,
      [id, catalogIds],
    );
  }

  async #removeWithoutListing(condition: string, values: readonly SqlValue[]): Promise<void> {
    await this.statements.affected(
      // SQL: an anti-join. Rows are never seen before their listing.
      `DELETE FROM catalog_listed AS row WHERE ${condition}
         AND NOT EXISTS (SELECT 1 FROM catalog_listing WHERE catalog_listing.id = row.listing_id)`,
      values,
    );
  }

  async #remove(condition: string, values: readonly SqlValue[]): Promise<void> {
    await this.statements.affected(
      `WITH old AS (
         SELECT id FROM catalog_listing WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM sync_run WHERE listing_id = catalog_listing.id
           AND state IN ('running', 'planning') AND phase = 'extract') FOR UPDATE SKIP LOCKED
       ), rows AS (
         DELETE FROM catalog_listed USING old WHERE listing_id = old.id
       )
       DELETE FROM catalog_listing USING old WHERE catalog_listing.id = old.id`,
      values,
    );
  }
}
