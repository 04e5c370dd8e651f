import { In, Not } from 'typeorm';
import { z } from 'zod';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/catalog-product.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { SyncActionEntity } from './entities/sync-action.entity.js';
import { ownersByIdentifier } from './identifier-owners.js';
import { counted } from './row-reader.js';
import { HOLDERS, type CatalogListing } from './catalog-listing.rows.js';
import type { HolderRow } from './plan-rows.js';
import type { PlanScratch } from './plan-scratch.js';
import type { PlanSession } from './plan-session.js';

/**
 * The owners of the identifiers in a plan: other products of our stores, and catalog products in the listing.
 *
 * SQL: the products of the catalog are in scratch tables that no entity describes.
 */
export class PlanCatalog {
  /** Rows of `holder`. */
  #held = 0;

  constructor(
    private readonly session: PlanSession,
    private readonly scratch: PlanScratch,
  ) {}

  /**
   * Makes the table of holders, and is called before all methods that read or fill it. False when the plan needs none: it has no actions,
   * and the store has no orphan that may have to give an identifier up.
   */
  async prepareHolders(): Promise<boolean> {
    const { id, store } = this.session.run;
    const row = await this.session.readOne(
      z.object({ needed: z.boolean() }),
      // SQL: one way to the database instead of two.
      `SELECT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1)
         OR EXISTS (SELECT 1 FROM store_product WHERE store = $2 AND state = 'orphaned') AS needed`,
      [id, store],
    );
    if (row?.needed !== true) return false;
    await this.scratch.make('holder');
    return true;
  }

  /**
   * Identifiers that planned creations, updates of an identifier, and products of which one is withheld so far would send: what
   * has to be looked up in the catalog. At most `limit`, in no order.
   */
  async identifiersToClear(limit: number): Promise<{ kind: IdentifierKind; value: string }[]> {
    // Owners seldom share an identifier, so that twice the rows have enough of them as a rule. To distinguish those of a first load takes
    // seconds: they are hundreds of thousands.
    const most = 2 * limit;
    const first = await this.#identifiersAmong(limit, most);
    const areAll = first.reduce((rows, { owners }) => rows + owners, 0) < most;
    return first.length === limit || areAll ? first : this.#identifiersAmong(limit, null);
  }

  /** At most `limit` identifiers of this many rows, or of all, with the number of rows that each has. */
  async #identifiersAmong(limit: number, rows: number | null) {
    const { id, workspace, store } = this.session.run;
    return this.session.read(
      z.object({ kind: z.enum(IDENTIFIER_KINDS), value: z.string(), owners: counted }),
      // SQL: a join of the planned actions with their identifiers, without reading either into memory.
      `WITH claimed AS MATERIALIZED (
         SELECT identifier.kind, identifier.value FROM sync_action AS action
         JOIN product_identifier AS identifier ON identifier.store = $5 AND identifier.product = action.external_id
           AND identifier.wanted AND (identifier.workspace = $2) IS TRUE
         WHERE action.run_id = $1 AND action.state = 'planned' AND action.kind <> 'orphan'
           AND (action.kind = 'create' OR action.withheld <> '[]' OR ${TOUCHES_IDENTIFIERS})
         LIMIT $4::integer
       )
       SELECT kind, value, count(*) AS owners FROM claimed GROUP BY kind, value LIMIT $3`,
      [id, workspace, limit, rows, store],
    );
  }

  async addHolders(holders: readonly HolderRow[]): Promise<void> {
    if (holders.length === 0) return;
    this.#held += await this.session.affected(
      `INSERT INTO holder SELECT kind, value, "catalogId", "externalId", "isVariant" FROM ${HOLDERS.from(1)} AS row`,
      HOLDERS.values(holders),
    );
  }

  /** True when products of the store are linked to catalog products. */
  async hasLinks(): Promise<boolean> {
    const row = await this.session.readOne(
      z.object({ linked: z.boolean() }),
      // SQL: shares the condition `LINKED` with the statement below.
      `SELECT EXISTS (SELECT 1 FROM store_product WHERE store = $1 AND ${LINKED}) AS linked`,
      [this.session.run.store],
    );
    return row?.linked === true;
  }

  /**
   * Linked products of the store that the listing does not show under their catalog id, or shows as somebody else's. Products that were
   * linked after the listing was begun are not compared. `isShared`: other connections see the listing. Then one of them is used, beside
   * the plan.
   */
  async missingFrom(
    listing: CatalogListing,
    { isShared }: { readonly isShared: boolean },
  ): Promise<GoneLink[]> {
    const connection = isShared ? this.session.db : this.session;
    return connection.read(
      goneLink,
      // SQL: `NOT EXISTS` on the rows of the listing.
      `SELECT external_id, store_id, catalog_id FROM store_product AS product WHERE store = $1 AND ${LINKED}
         AND first_seen_at <= (SELECT started_at FROM catalog_listing WHERE id = $2)
         AND NOT EXISTS (SELECT 1 FROM catalog_listed WHERE listing_id = $2 AND catalog_listed.catalog_id = product.catalog_id
           AND coalesce(catalog_listed.external_id, product.external_id) = product.external_id) ORDER BY external_id`,
      [this.session.run.store, listing.id],
    );
  }

  /**
   * Takes what the listing shows about this plan: the holders of its products' identifiers, its products themselves, and what orphans of
   * the store still hold. However much the workspace holds, a plan copies no more than its own share.
   */
  async takeHolders(listing: CatalogListing): Promise<void> {
    const { id, store } = this.session.run;
    this.#held += await this.session.affected(
      `INSERT INTO holder
       SELECT held.kind, held.value, held.catalog_id, held.external_id, held.is_variant FROM catalog_holder AS held
       JOIN (SELECT DISTINCT identifier.kind, identifier.folded FROM sync_action AS action
         JOIN product_identifier AS identifier ON identifier.store = $3 AND identifier.product = action.external_id
         WHERE action.run_id = $1) AS wanted ON held.kind = wanted.kind AND held.value = wanted.folded
       WHERE held.listing_id = $2
       UNION
       SELECT held.kind, held.value, held.catalog_id, held.external_id, held.is_variant FROM store_product AS gone
       JOIN catalog_holder AS held ON held.listing_id = $2 AND held.external_id = gone.external_id
       WHERE gone.store = $3 AND gone.state = 'orphaned'
       UNION
       SELECT NULL, NULL, listed.catalog_id, listed.external_id, false FROM sync_action AS action
       JOIN catalog_listed AS listed ON listed.listing_id = $2 AND listed.external_id = action.external_id
       WHERE action.run_id = $1`,
      [id, listing.id, store],
    );
    await this.indexHolders();
  }

  async indexHolders(): Promise<void> {
    const isLarge = await this.scratch.index('holder', this.#held);
    if (isLarge) await this.session.affected('ANALYZE holder');
  }

  /**
   * Planned actions whose identifiers must be resolved, in order, after the given id: those with a withheld
   * identifier, or one that another product or the catalog has. The others are final as they are planned.
   */
  async actionsToResolve(after: string, limit: number): Promise<SyncActionEntity[]> {
    const { id, workspace, store } = this.session.run;
    return this.session.entities(
      SyncActionEntity,
      // SQL: `EXISTS` on the scratch table of holders.
      `SELECT action.* FROM sync_action AS action WHERE run_id = $1 AND id > $2 AND kind <> 'orphan' AND state = 'planned'
         AND (withheld <> '[]' OR (kind = 'create' OR ${TOUCHES_IDENTIFIERS}) AND (
           EXISTS (SELECT 1 FROM holder WHERE holder.external_id = action.external_id AND NOT is_variant)
           OR EXISTS (SELECT 1 FROM product_identifier AS own WHERE own.store = $5 AND own.product = action.external_id
             AND own.wanted AND (own.workspace = $4) IS TRUE AND (
             EXISTS (SELECT 1 FROM product_identifier AS other WHERE other.workspace = own.workspace AND other.kind = own.kind
               AND other.folded = own.folded AND other.owner <> own.owner)
             OR EXISTS (SELECT 1 FROM holder WHERE holder.kind = own.kind AND holder.value = own.folded)))))
       ORDER BY id LIMIT $3`,
      [id, after, limit, workspace, store],
    );
  }

  /** Of the given external_ids those of products that a store of the workspace has: what the catalog holds for them is known. */
  async ownLive(externalIds: readonly string[]): Promise<Set<string>> {
    const { workspace } = this.session.run;
    const rows = await this.session.find(StoreProductEntity, {
      select: { externalId: true },
      where: { externalId: In(externalIds), workspace, state: Not('orphaned') },
    });
    return new Set(rows.map((row) => row.externalId));
  }

  /** `kind\0folded` to the external_ids of all that have it, for the identifiers of the given products that others have as well. */
  async owners(products: readonly string[]): Promise<Map<string, string[]>> {
    const { db, runner, run } = this.session;
    return this.session.inTurn(() => ownersByIdentifier(db, run, products, runner));
  }

  async holders(products: readonly string[]): Promise<HolderRow[]> {
    return this.session.read(
      holderRow,
      // SQL: a join with the scratch table of holders.
      `SELECT DISTINCT holder.* FROM product_identifier AS identifier
       JOIN holder ON holder.kind = identifier.kind AND holder.value = identifier.folded
       WHERE identifier.store = $2 AND identifier.product = ANY($1)`,
      [products, this.session.run.store],
    );
  }

  /** Of the given external_ids those of products of the workspace's stores, and whether their source is still there. */
  async known(externalIds: readonly string[]): Promise<Map<string, 'live' | 'orphaned'>> {
    if (externalIds.length === 0) return new Map();
    const rows = await this.session.read(
      z.object({ externalId: z.string(), orphaned: z.boolean() }),
      // SQL: on the plan's connection.
      `SELECT external_id, state = 'orphaned' AS orphaned FROM store_product WHERE external_id = ANY($1) AND workspace = $2`,
      [externalIds, this.session.run.workspace],
    );
    return new Map(rows.map((row) => [row.externalId, row.orphaned ? 'orphaned' : 'live']));
  }

  /** Catalog ids of products that have one of the given external_ids already. */
  async ownCatalogIds(externalIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.session.read(
      z.object({ externalId: z.string(), catalogId: z.string() }),
      // SQL: reads the scratch table of holders.
      'SELECT DISTINCT ON (external_id) external_id, catalog_id FROM holder WHERE external_id = ANY($1) AND NOT is_variant',
      [externalIds],
    );
    return new Map(rows.map((row) => [row.externalId, row.catalogId]));
  }

  /** Unclaimed catalog products that the identifiers of more than one planned creation match. */
  async contestedHolders(): Promise<Set<string>> {
    const rows = await this.session.read(
      z.object({ catalogId: z.string() }),
      // SQL: groups the scratch table of holders by planned creations.
      `SELECT holder.catalog_id FROM sync_action AS action
       JOIN product_identifier AS identifier ON identifier.store = $2 AND identifier.product = action.external_id
       JOIN holder ON holder.kind = identifier.kind AND holder.value = identifier.folded
       WHERE action.run_id = $1 AND action.state = 'planned' AND action.kind = 'create' AND holder.external_id IS NULL
       GROUP BY holder.catalog_id HAVING count(DISTINCT action.external_id) > 1`,
      [this.session.run.id, this.session.run.store],
    );
    return new Set(rows.map((row) => row.catalogId));
  }
}

/** Products that are linked to a catalog product. Orphaned ones are not among them. */
const LINKED = `state IN ('linked', 'conflicted') AND catalog_id IS NOT NULL`;

/** Fields of an update through which an identifier could be sent. */
const TOUCHES_IDENTIFIERS = `fields ?| array['sku', 'barcode', 'mpn', 'asin', 'variants']`;

const goneLink = z.object({ externalId: z.string(), storeId: z.string(), catalogId: z.string() });
/** A linked product that the listing does not show. */
export type GoneLink = Readonly<z.infer<typeof goneLink>>;

const holderRow = z.object({
  kind: z.enum(IDENTIFIER_KINDS).nullable(),
  value: z.string().nullable(),
  catalogId: z.string(),
  externalId: z.string().nullable(),
  isVariant: z.boolean(),
});
