import { In } from 'typeorm';
import { z } from 'zod';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/catalog-product.js';
import type { CatalogListing } from './catalog-listing.rows.js';
import { LINKED } from './compared-by.js';
import { json, type Database, type SqlValue } from './database.js';
import { SyncActionEntity } from './entities/sync-action.entity.js';
import { isLeftBehind } from './identifier-owners.js';
import { HELD_RUN } from './plan-drafts.js';
import { holderRow, type HolderRow, type PlannedRun } from './plan-rows.js';

/** Where the catalog products that hold identifiers are read from: a listing, or what searches have found. */
type Holders =
  { readonly kind: 'listing'; readonly id: string } | { readonly kind: 'found'; readonly rows: HolderRow[] };

/**
 * The owners of the identifiers in a plan: other products of our stores, and catalog products. The identifiers of a product that the plan
 * has an action for are those of the plan. Those of all others are the ones that are claimed.
 *
 * SQL: joins of the plan's actions with identifiers and with the rows of a listing, without reading any of them into memory.
 */
export class PlanIdentities {
  #holders: Holders = { kind: 'found', rows: [] };

  constructor(
    private readonly db: Database,
    private readonly run: PlannedRun,
  ) {}

  /** False when there is nothing to settle: the plan has no actions, and the store has no orphan that may have to give an identifier up. */
  async areNeeded(): Promise<boolean> {
    const { id, store } = this.run;
    return this.db.holds(
      // SQL: one way to the database instead of two.
      `SELECT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1)
         OR EXISTS (SELECT 1 FROM store_product WHERE store = $2 AND state = 'orphaned') AS holds`,
      [id, store],
    );
  }

  /**
   * Identifiers that planned creations, updates of an identifier, and products of which one is withheld so far would send: what
   * has to be looked up in the catalog. At most `limit`, in no order.
   */
  async toClear(limit: number): Promise<{ kind: IdentifierKind; value: string }[]> {
    return this.db.read(
      z.object({ kind: z.enum(IDENTIFIER_KINDS), value: z.string() }),
      `SELECT DISTINCT planned.kind, planned.value FROM sync_action AS action
       JOIN planned_identifier AS planned ON planned.run_id = $1 AND planned.product = action.external_id AND planned.wanted
       WHERE action.run_id = $1 AND ${SENDS_IDENTIFIERS} LIMIT $2`,
      [this.run.id, limit],
    );
  }

  /** All linked products of the store. */
  async linked(): Promise<StoreLink[]> {
    return this.db.read(
      storeLink,
      // SQL: shares the condition `LINKED` with the statement below.
      `SELECT external_id, store_id, catalog_id FROM store_product WHERE store = $1 AND workspace = $2 AND ${LINKED} ORDER BY external_id`,
      [this.run.store, this.run.workspace],
    );
  }

  /**
   * Linked products of the store that the listing does not show under their catalog id, or shows as somebody else's. Products that were
   * linked after the listing was begun are not compared.
   */
  async missingFrom(listing: CatalogListing): Promise<StoreLink[]> {
    return this.db.read(
      storeLink,
      // SQL: `NOT EXISTS` on the rows of the listing.
      `SELECT external_id, store_id, catalog_id FROM store_product AS product WHERE store = $1 AND workspace = $3 AND ${LINKED}
         AND first_seen_at <= (SELECT started_at FROM catalog_listing WHERE id = $2)
         AND NOT EXISTS (SELECT 1 FROM catalog_listed WHERE listing_id = $2 AND kind = 'product' AND value = product.catalog_id
           AND coalesce(catalog_listed.external_id, product.external_id) = product.external_id) ORDER BY external_id`,
      [this.run.store, listing.id, this.run.workspace],
    );
  }

  /** Looks up holders of identifiers in this listing from now on. */
  takeListing({ id }: CatalogListing): void {
    this.#holders = { kind: 'listing', id };
  }

  /** Adds holders that searches have found. */
  addFound(rows: readonly HolderRow[]): void {
    if (this.#holders.kind === 'found') this.#holders.rows.push(...rows);
  }

  /**
   * Ids of the planned actions whose identifiers must be resolved, in order: those with a withheld identifier, or with one that another
   * product or the catalog has, and adoptions of a plan that is applied. The others are final as they are planned.
   */
  async toResolve(): Promise<string[]> {
    const { id, workspace } = this.run;
    const rows = await this.#readHolders(
      z.object({ id: z.string() }),
      `SELECT action.id FROM sync_action AS action WHERE run_id = $1 AND state = 'draft' AND kind <> 'orphan'
         AND (withheld <> '[]' OR kind = 'adopt' OR (kind = 'create' OR ${TOUCHES_IDENTIFIERS}) AND (
           EXISTS (SELECT 1 FROM holder WHERE holder.external_id = action.external_id AND NOT is_variant)
           OR EXISTS (SELECT 1 FROM planned_identifier AS own WHERE own.run_id = $1 AND own.product = action.external_id AND own.wanted AND (
             EXISTS (SELECT 1 FROM planned_identifier AS other WHERE other.run_id = $1 AND other.kind = own.kind
               AND other.folded = own.folded AND other.wanted AND other.owner <> own.owner)
             OR EXISTS (SELECT 1 FROM product_identifier AS other WHERE other.workspace = $2 AND other.kind = own.kind
               AND other.folded = own.folded AND other.owner <> own.owner)
             OR EXISTS (SELECT 1 FROM holder WHERE holder.kind = own.kind AND holder.value = own.folded)))))
       ORDER BY id`,
      [id, workspace],
    );
    return rows.map((row) => row.id);
  }

  async actions(ids: readonly string[]): Promise<SyncActionEntity[]> {
    return this.db
      .repository(SyncActionEntity)
      .find({ where: { id: In(ids), state: 'draft' }, order: { id: 'ASC' } });
  }

  /**
   * `kind\0folded` to the external_ids of the owners that stand in each other's way, for those identifiers of the given products that more
   * than one owner has. What the catalog holds for a product already is not taken away by another store's newcomer.
   */
  async owners(products: readonly string[]): Promise<Map<string, string[]>> {
    const { id, workspace, store } = this.run;
    const rows = await this.db.read(
      z.object({ kind: z.string(), folded: z.string(), owners: z.array(z.string()) }),
      // What the product's own variants held is released before it is sent anew. What was withheld from another product was never sent:
      // once that product gives it up, nobody holds it.
      `SELECT DISTINCT own.kind, own.folded, shared.owners FROM ${OWN_IDENTIFIERS}
       CROSS JOIN LATERAL (
         SELECT array_agg(DISTINCT owner ORDER BY owner) AS owners FROM (
           SELECT owner FROM planned_identifier WHERE run_id = $1 AND kind = own.kind AND folded = own.folded AND wanted
           UNION ALL
           SELECT owner FROM product_identifier AS claim
           WHERE claim.workspace = $3 AND claim.kind = own.kind AND claim.folded = own.folded AND claim.product <> own.product
             AND NOT ${isLeftBehind('claim')}
             AND (claim.store = $4 OR claim.held OR NOT EXISTS (SELECT 1 FROM product_identifier AS mine WHERE mine.workspace = $3
               AND mine.kind = own.kind AND mine.folded = own.folded AND mine.owner = own.owner AND mine.held))
             AND NOT (EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1 AND external_id = claim.product AND body IS NOT NULL)
               AND EXISTS (SELECT 1 FROM store_product WHERE external_id = claim.product AND withheld @>
                 jsonb_build_array(jsonb_build_object('kind', claim.kind, 'value', claim.value, 'owner', claim.owner))))
         ) AS owning
       ) AS shared
       WHERE cardinality(shared.owners) > 1`,
      [id, products, workspace, store],
    );
    return new Map(rows.map((row) => [`${row.kind}\u0000${row.folded}`, row.owners]));
  }

  /** The catalog's holders of the identifiers of these products. */
  async holders(products: readonly string[]): Promise<HolderRow[]> {
    return this.#readHolders(
      holderRow,
      `SELECT DISTINCT held.kind, held.value, held.catalog_id, held.external_id, held.is_variant FROM ${OWN_IDENTIFIERS}
       CROSS JOIN LATERAL (SELECT * FROM holder WHERE holder.kind = own.kind AND holder.value = own.folded OFFSET 0) AS held`,
      [this.run.id, products],
    );
  }

  /** Of the given external_ids those of products of the workspace's stores, and whether their source is still there. */
  async known(externalIds: readonly string[]): Promise<Map<string, 'live' | 'orphaned'>> {
    if (externalIds.length === 0) return new Map();
    const rows = await this.db.read(
      z.object({ externalId: z.string(), orphaned: z.boolean() }),
      // SQL: one array for all products.
      `SELECT external_id, state = 'orphaned' AS orphaned FROM store_product WHERE external_id = ANY($1) AND workspace = $2`,
      [externalIds, this.run.workspace],
    );
    return new Map(rows.map((row) => [row.externalId, row.orphaned ? 'orphaned' : 'live']));
  }

  /** Catalog ids of products that have one of the given external_ids already. */
  async ownCatalogIds(externalIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#readHolders(
      z.object({ externalId: z.string(), catalogId: z.string() }),
      `SELECT DISTINCT ON (external_id) external_id, catalog_id FROM holder WHERE external_id = ANY($1) AND NOT is_variant`,
      [externalIds],
    );
    return new Map(rows.map((row) => [row.externalId, row.catalogId]));
  }

  /** Unclaimed catalog products that the identifiers of more than one planned creation match. */
  async contested(): Promise<Set<string>> {
    const rows = await this.#readHolders(
      z.object({ catalogId: z.string() }),
      `SELECT holder.catalog_id FROM sync_action AS action
       JOIN planned_identifier AS planned ON planned.run_id = $1 AND planned.product = action.external_id AND planned.wanted
       JOIN holder ON holder.kind = planned.kind AND holder.value = planned.folded
       WHERE action.run_id = $1 AND action.state = 'draft' AND action.kind IN ('create', 'adopt')
         AND holder.external_id IS NULL
       GROUP BY holder.catalog_id HAVING count(DISTINCT action.external_id) > 1`,
      [this.run.id],
    );
    return new Set(rows.map((row) => row.catalogId));
  }

  /**
   * Orphans of this store that hold, as the catalog showed, an identifier which another product has now: they release it. Their
   * actions name the fields that they give up.
   */
  async planReleases(): Promise<void> {
    const { id, store, workspace, lease } = this.run;
    const [holders, value] = holdersOf(this.#holders, 5);
    await this.db.affected(
      `WITH ${holders}, held_run AS (${HELD_RUN}), gone AS (
         SELECT DISTINCT holder.kind, holder.value, product.external_id FROM holder
         JOIN store_product AS product ON product.external_id = holder.external_id AND product.store = $3
           AND product.state = 'orphaned' AND product.catalog_id = holder.catalog_id
         WHERE NOT holder.is_variant AND holder.kind IS NOT NULL AND (
           EXISTS (SELECT 1 FROM planned_identifier AS other WHERE other.run_id = $1 AND other.kind = holder.kind
             AND other.folded = holder.value AND other.wanted AND other.product <> product.external_id)
           OR EXISTS (SELECT 1 FROM product_identifier AS other WHERE other.workspace = $4 AND other.kind = holder.kind
             AND other.folded = holder.value AND other.wanted AND other.product <> product.external_id
             AND NOT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1 AND external_id = other.product AND body IS NOT NULL)))
       ), noted AS (
         INSERT INTO planned_identifier (run_id, kind, folded, value, owner, product, wanted)
         SELECT held_run.id, kind, value, value, external_id, external_id, false FROM held_run, gone ON CONFLICT DO NOTHING
       )
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, fields, state)
       SELECT held_run.id, product.store, product.external_id, product.store_id, product.label, 'orphan', product.catalog_id,
         'gone from the store; another product needs an identifier that it holds', given.fields, 'draft'
       FROM held_run, (SELECT external_id, jsonb_agg(DISTINCT kind) AS fields FROM gone GROUP BY external_id) AS given
       JOIN store_product AS product USING (external_id)
       WHERE NOT EXISTS (SELECT 1 FROM sync_action AS own WHERE own.run_id = $1 AND own.external_id = product.external_id)`,
      [id, lease, store, workspace, value],
    );
  }

  /** Rows of a statement that may read the holders as a table `holder`. */
  #readHolders<T>(reader: z.ZodType<T>, select: string, values: readonly SqlValue[]): Promise<T[]> {
    const [holders, value] = holdersOf(this.#holders, values.length + 1);
    return this.db.read(reader, `WITH ${holders} ${select}`, [...values, value]);
  }
}

/** The table `holder` of a statement, and the value of its parameter, which has this number. */
function holdersOf(holders: Holders, parameter: number): [sql: string, value: string] {
  const given = `$${String(parameter)}`;
  if (holders.kind === 'listing')
    return [
      `holder AS NOT MATERIALIZED (
         SELECT kind, value, catalog_id, external_id, is_variant FROM catalog_listed WHERE listing_id = ${given}::bigint)`,
      holders.id,
    ];
  return [
    `holder AS MATERIALIZED (
       SELECT kind, value, "catalogId" AS catalog_id, "externalId" AS external_id, "isVariant" AS is_variant
       FROM jsonb_to_recordset(${given}::jsonb) AS row(kind text, value text, "catalogId" text, "externalId" text, "isVariant" boolean))`,
    json(holders.rows),
  ];
}

/** Fields of an update through which an identifier could be sent. */
const TOUCHES_IDENTIFIERS = `fields ?| array['sku', 'barcode', 'mpn', 'asin', 'variants']`;

const SENDS_IDENTIFIERS = `action.state = 'draft' AND action.kind <> 'orphan'
  AND (action.kind IN ('create', 'adopt') OR action.withheld <> '[]' OR action.${TOUCHES_IDENTIFIERS})`;

/** The identifiers `own` of the products `$2` in the run `$1`. Each product is looked up by itself, also where there are no statistics yet. */
const OWN_IDENTIFIERS = `unnest($2::text[]) AS asked(product) CROSS JOIN LATERAL (
  SELECT kind, folded, owner, product FROM planned_identifier WHERE run_id = $1 AND product = asked.product AND wanted OFFSET 0) AS own`;

const storeLink = z.object({ externalId: z.string(), storeId: z.string(), catalogId: z.string() });
/** A product of the store that is linked to a catalog product. */
export type StoreLink = Readonly<z.infer<typeof storeLink>>;
