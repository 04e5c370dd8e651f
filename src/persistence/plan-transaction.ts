import pLimit from 'p-limit';
import type { QueryRunner } from 'typeorm';
import type { IdentifierKind } from '../domain/catalog-product.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { json, type Database, type SqlValue } from './database.js';
import type { SyncActionEntity } from './entities/sync-action.entity.js';
import { bearersOf } from './identifier-bearers.js';
import type { HolderRow, LinkRow, MetProducts, NewAction } from './plan-rows.js';

/**
 * Planning in one transaction: what a run has read, what it plans and where the watermark moves become durable together, or
 * not at all. A dry run does the very same and rolls back. Scratch tables live in the session and write nothing.
 */
export class PlanTransaction {
  /** One statement at a time on the one connection: what is found next may be planned while what was found is written. */
  readonly #inTurn = pLimit(1);

  private constructor(
    private readonly db: Database,
    private readonly runner: QueryRunner,
    private readonly runId: string,
    private readonly store: string,
    private readonly workspace: string,
  ) {}

  /** `dry`: the run itself exists in this transaction only, beside whatever run is active. */
  static async begin(
    db: Database,
    run: { id: string; store: string; workspace: string },
    { dry = false }: { dry?: boolean } = {},
  ): Promise<PlanTransaction> {
    const runner = db.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      const plan = new PlanTransaction(db, runner, run.id, run.store, run.workspace);
      await runner.query('CREATE TEMP TABLE seen (external_id text PRIMARY KEY) ON COMMIT DROP');
      await runner.query(
        `CREATE TEMP TABLE holder (kind text, value text, catalog_id text NOT NULL, external_id text, is_variant boolean NOT NULL)
         ON COMMIT DROP`,
      );
      if (dry) {
        await runner.query(
          `INSERT INTO sync_run (id, store, workspace, kind, trigger, state) VALUES ($1, $2, $3, 'full', 'command', 'failed')`,
          [run.id, run.store, run.workspace],
        );
      }
      // A run that was cut off while planning plans anew.
      await runner.query(`DELETE FROM sync_action WHERE run_id = $1`, [run.id]);
      return plan;
    } catch (error) {
      await runner.release();
      throw error;
    }
  }

  /** The transaction itself, for what ends it otherwise than `commit`: a saved plan that is carried out. */
  get transaction(): QueryRunner {
    return this.runner;
  }

  async links(externalIds: readonly string[]): Promise<Map<string, LinkRow>> {
    const rows = await this.#rows<{ link: LinkRow }>(
      `SELECT ${LINK} AS link FROM store_product AS product WHERE external_id = ANY($1) AND store = $2`,
      [externalIds, this.store],
    );
    return new Map(rows.map(({ link }) => [link.externalId, link]));
  }

  /**
   * Remembers which products the read met, and tells apart those that it had not met before: those that are linked and were read
   * like this before, and the others with what is known of them. `marks` are how they were read, null where the read cannot tell.
   */
  async meet(externalIds: readonly string[], marks: readonly (string | null)[]): Promise<MetProducts> {
    const row = await this.#one<{ met: string; known: LinkRow[]; unknown: string[] }>(
      `WITH read AS (
         SELECT DISTINCT ON (external_id) external_id, mark FROM unnest($1::text[], $2::text[]) AS read(external_id, mark)
       ), met AS (
         INSERT INTO seen SELECT external_id FROM read ON CONFLICT DO NOTHING RETURNING external_id
       )
       SELECT count(*) AS met,
         coalesce(jsonb_agg(${LINK}) FILTER (WHERE product.external_id IS NOT NULL AND ${MOVED}), '[]') AS known,
         coalesce(jsonb_agg(met.external_id) FILTER (WHERE product.external_id IS NULL), '[]') AS unknown
       FROM met JOIN read USING (external_id)
       LEFT JOIN store_product AS product ON product.external_id = met.external_id AND product.store = $3`,
      [externalIds, marks, this.store],
    );
    const links = new Map<string, LinkRow | null>((row?.unknown ?? []).map((id) => [id, null]));
    for (const link of row?.known ?? []) links.set(link.externalId, link);
    return { met: Number(row?.met ?? 0), moved: links };
  }

  /** Remembers how products were read that came out as unchanged. */
  async rememberReads(marks: ReadonlyMap<string, string>): Promise<void> {
    if (marks.size === 0) return;
    await this.#affected(
      `UPDATE store_product AS product SET read_mark = row.mark
       FROM unnest($1::text[], $2::text[]) AS row(external_id, mark)
       WHERE product.external_id = row.external_id AND product.store = $3 AND product.state = 'linked'
         AND product.withheld = '[]' AND product.read_mark IS DISTINCT FROM row.mark`,
      [[...marks.keys()], [...marks.values()], this.store],
    );
  }

  /** Adds actions and, where they say so, replaces what is known of their products' identifiers. */
  async addActions(actions: readonly NewAction[]): Promise<void> {
    if (actions.length === 0) return;
    // One statement, so that the database works while the next products are planned.
    await this.#affected(
      `WITH planned AS MATERIALIZED (
         SELECT * FROM jsonb_to_recordset($4::jsonb) AS row("externalId" text, "storeId" text, label text, kind text,
           "catalogId" text, reason text, fields jsonb, body jsonb, withheld jsonb, "sourceFingerprint" text, seen jsonb,
           "wantsGeneration" boolean, "readMark" text, identifiers jsonb)
       ), borne AS MATERIALIZED (
         SELECT "externalId" AS product, each.* FROM planned,
           jsonb_to_recordset(planned.identifiers) AS each(kind text, value text, owner text)
         WHERE jsonb_typeof(planned.identifiers) = 'array'
       ), added AS (
         INSERT INTO product_identifier (workspace, kind, value, owner, store, product)
         SELECT $3, kind, value, owner, $2, product FROM borne ON CONFLICT DO NOTHING
       ), given_up AS (
         DELETE FROM product_identifier AS known USING planned
         WHERE known.product = planned."externalId" AND known.store = $2 AND jsonb_typeof(planned.identifiers) = 'array'
           AND NOT EXISTS (SELECT 1 FROM borne WHERE known.workspace = $3 AND borne.kind = known.kind
             AND borne.value = known.value AND borne.owner = known.owner)
       )
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, fields, body, withheld,
         source_fingerprint, seen, wants_generation, read_mark)
       SELECT $1, $2, "externalId", "storeId", label, kind, "catalogId", reason, fields, body, withheld, "sourceFingerprint",
         seen, "wantsGeneration", "readMark" FROM planned`,
      [this.runId, this.store, this.workspace, json(actions)],
    );
  }

  /** Fingerprints that moved although no field differs: the rules changed, not the product. */
  async moveFingerprints(moved: ReadonlyMap<string, string>): Promise<void> {
    if (moved.size === 0) return;
    await this.#affected(
      `UPDATE store_product AS product SET source_fingerprint = row.value
       FROM jsonb_each_text($1::jsonb) AS row WHERE product.external_id = row.key`,
      [json(Object.fromEntries(moved))],
    );
  }

  async addHolders(holders: readonly HolderRow[]): Promise<void> {
    if (holders.length === 0) return;
    await this.#affected(
      `INSERT INTO holder SELECT kind, value, "catalogId", "externalId", "isVariant" FROM jsonb_to_recordset($1::jsonb)
         AS row(kind text, value text, "catalogId" text, "externalId" text, "isVariant" boolean)`,
      [json(holders)],
    );
  }

  async indexHolders(): Promise<void> {
    await this.#affected('CREATE INDEX ON holder (kind, value)');
    await this.#affected('CREATE INDEX ON holder (external_id)');
    await this.#affected('ANALYZE holder');
  }

  /**
   * Identifiers that planned creations, updates of an identifier, and products of which one is withheld so far would send: what
   * has to be looked up in the catalog.
   */
  async identifiersToClear(limit: number): Promise<{ kind: IdentifierKind; value: string }[]> {
    return this.#rows(
      `SELECT DISTINCT identifier.kind, identifier.value FROM sync_action AS action
       JOIN product_identifier AS identifier ON identifier.product = action.external_id AND (identifier.workspace = $2) IS TRUE
       WHERE action.run_id = $1 AND action.kind <> 'orphan'
         AND (action.kind = 'create' OR action.withheld <> '[]' OR ${TOUCHES_IDENTIFIERS})
       LIMIT $3`,
      [this.runId, this.workspace, limit],
    );
  }

  /**
   * Planned actions whose identifiers must be settled, in order, after the given id: those that send one which somebody else
   * bears or the catalog shows, or of which one is withheld so far. The others are settled as they are planned.
   */
  async actionsToSettle(after: string, limit: number): Promise<SyncActionEntity[]> {
    return this.#rows<SyncActionEntity>(
      `SELECT action.* FROM sync_action AS action WHERE run_id = $1 AND id > $2 AND kind <> 'orphan'
         AND (withheld <> '[]' OR (kind = 'create' OR ${TOUCHES_IDENTIFIERS}) AND (
           EXISTS (SELECT 1 FROM holder WHERE holder.external_id = action.external_id AND NOT is_variant)
           OR EXISTS (SELECT 1 FROM product_identifier AS own WHERE own.product = action.external_id AND (own.workspace = $4) IS TRUE AND (
             EXISTS (SELECT 1 FROM product_identifier AS other WHERE other.workspace = own.workspace AND other.kind = own.kind
               AND other.value = own.value AND other.owner <> own.owner)
             OR EXISTS (SELECT 1 FROM holder WHERE holder.kind = own.kind AND holder.value = own.value)))))
       ORDER BY id LIMIT $3`,
      [this.runId, after, limit, this.workspace],
    );
  }

  /** `kind\0value` to all external_ids that bear it, for the identifiers of the given products. */
  async bearers(products: readonly string[]): Promise<Map<string, string[]>> {
    return this.#inTurn(() => bearersOf(this.db, this.workspace, products, this.runner));
  }

  async holders(products: readonly string[]): Promise<HolderRow[]> {
    return this.#rows<HolderRow>(
      `SELECT DISTINCT holder.* FROM product_identifier AS identifier
       JOIN holder ON holder.kind = identifier.kind AND holder.value = identifier.value
       WHERE identifier.product = ANY($1)`,
      [products],
    );
  }

  /** Catalog ids of products that already bear one of the given external_ids. */
  async ownCatalogIds(externalIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#rows<{ externalId: string; catalogId: string }>(
      'SELECT DISTINCT ON (external_id) external_id, catalog_id FROM holder WHERE external_id = ANY($1) AND NOT is_variant',
      [externalIds],
    );
    return new Map(rows.map((row) => [row.externalId, row.catalogId]));
  }

  /** Unclaimed catalog products that the identifiers of more than one planned creation match. */
  async contestedHolders(): Promise<Set<string>> {
    const rows = await this.#rows<{ catalogId: string }>(
      `SELECT holder.catalog_id FROM sync_action AS action
       JOIN product_identifier AS identifier ON identifier.product = action.external_id
       JOIN holder ON holder.kind = identifier.kind AND holder.value = identifier.value
       WHERE action.run_id = $1 AND action.kind = 'create' AND holder.external_id IS NULL
       GROUP BY holder.catalog_id HAVING count(DISTINCT action.external_id) > 1`,
      [this.runId],
    );
    return new Set(rows.map((row) => row.catalogId));
  }

  async replaceAction(id: string, action: Omit<NewAction, 'readMark' | 'identifiers'>): Promise<void> {
    await this.#affected(
      `UPDATE sync_action SET kind = $2, catalog_id = $3, reason = $4, fields = $5, withheld = $6, wants_generation = $7
       WHERE id = $1`,
      [
        id,
        action.kind,
        action.catalogId,
        action.reason,
        json(action.fields),
        json(action.withheld),
        action.wantsGeneration,
      ],
    );
  }

  /** An action that came to nothing once identifiers were withheld; the product remembers which. */
  async dropAction(id: string, externalId: string, withheld: readonly WithheldIdentifier[]): Promise<void> {
    await this.#affected('DELETE FROM sync_action WHERE id = $1', [id]);
    await this.#affected(
      `UPDATE store_product SET withheld = $2, state = CASE WHEN state = 'orphaned' THEN state
         WHEN $2::jsonb = '[]' THEN 'linked' ELSE 'conflicted' END WHERE external_id = $1`,
      [externalId, json(withheld)],
    );
  }

  /** Linked products that the read did not meet: their source is gone. Only for a read that is proved complete. */
  async planOrphans(keepUnread: ReadonlySet<string>): Promise<number> {
    return this.#affected(
      `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason)
       SELECT $1, store, external_id, store_id, label, 'orphan', catalog_id, 'no longer in the store'
       FROM store_product AS product WHERE store = $2 AND state <> 'orphaned' AND external_id <> ALL($3)
         AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.external_id = product.external_id)`,
      [this.runId, this.store, [...keepUnread]],
    );
  }

  /** Linked products that the store no longer knows by their id. */
  async planGone(storeIds: readonly string[]): Promise<void> {
    if (storeIds.length === 0) return;
    await this.#affected(
      `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason)
       SELECT $1, store, external_id, store_id, label, 'orphan', catalog_id, 'deleted in the store'
       FROM store_product WHERE store = $2 AND store_id = ANY($3) AND state <> 'orphaned' ON CONFLICT DO NOTHING`,
      [this.runId, this.store, storeIds],
    );
  }

  /** Store ids of the linked products that the read did not meet. */
  async unseen(): Promise<{ externalId: string; storeId: string }[]> {
    return this.#rows(
      `SELECT external_id, store_id FROM store_product AS product WHERE store = $1 AND state <> 'orphaned'
         AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.external_id = product.external_id)`,
      [this.store],
    );
  }

  async counts(): Promise<{
    linked: number;
    changes: number;
    creates: number;
    updates: number;
    orphans: number;
    conflicted: number;
  }> {
    const row = await this.#one<
      Record<'linked' | 'changes' | 'creates' | 'updates' | 'orphans' | 'conflicted', string>
    >(
      `SELECT (SELECT count(*) FROM store_product WHERE store = $2 AND state IN ('linked', 'conflicted')) AS linked,
         count(*) FILTER (WHERE kind IN ('adopt', 'update')) AS changes,
         count(*) FILTER (WHERE kind = 'create') AS creates, count(*) FILTER (WHERE kind IN ('adopt', 'update')) AS updates,
         count(*) FILTER (WHERE kind = 'orphan') AS orphans,
         count(*) FILTER (WHERE withheld <> '[]') + (SELECT count(*) FROM store_product AS product
           WHERE store = $2 AND withheld <> '[]' AND EXISTS (SELECT 1 FROM seen WHERE seen.external_id = product.external_id)
             AND NOT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1 AND external_id = product.external_id)) AS conflicted
       FROM sync_action WHERE run_id = $1`,
      [this.runId, this.store],
    );
    const number = (value: string | undefined): number => Number(value ?? 0);
    return {
      linked: number(row?.linked),
      changes: number(row?.changes),
      creates: number(row?.creates),
      updates: number(row?.updates),
      orphans: number(row?.orphans),
      conflicted: number(row?.conflicted),
    };
  }

  async *actions(batch = 500): AsyncGenerator<SyncActionEntity[]> {
    let after = '0';
    for (;;) {
      const rows = await this.#rows<SyncActionEntity>(
        'SELECT * FROM sync_action WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3',
        [this.runId, after, batch],
      );
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /**
   * Makes the plan durable: older failures of the products that were read are superseded, the watermark moves, the run goes on to
   * apply: all in this one transaction. False when the run's lease was lost meanwhile: nothing is kept then.
   */
  async commit(lease: string, end: { readFrom: Date; full: boolean; counts: object }): Promise<boolean> {
    await this.#affected(
      `UPDATE sync_action AS old SET state = 'superseded', settled_at = now()
       WHERE old.store = $2 AND old.run_id <> $1 AND old.state IN ('planned', 'failed')
         AND (EXISTS (SELECT 1 FROM seen WHERE seen.external_id = old.external_id)
           OR EXISTS (SELECT 1 FROM sync_action AS own WHERE own.run_id = $1 AND own.external_id = old.external_id))`,
      [this.runId, this.store],
    );
    await this.#affected(
      `INSERT INTO store_state (store, watermark, last_full_at) VALUES ($1, $2, CASE WHEN $3 THEN now() END)
       ON CONFLICT (store) DO UPDATE SET watermark = greatest(store_state.watermark, excluded.watermark),
         last_full_at = coalesce(excluded.last_full_at, store_state.last_full_at),
         incrementals_since_full = CASE WHEN $3 THEN 0 ELSE store_state.incrementals_since_full + 1 END`,
      [this.store, end.readFrom, end.full],
    );
    const moved = await this.#affected(
      `UPDATE sync_run SET phase = 'apply', operation = NULL, counts = $3 WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [this.runId, lease, json(end.counts)],
    );
    if (moved !== 1) return false;
    await this.#inTurn(() => this.runner.commitTransaction());
    return true;
  }

  /** Rolls back whatever was not committed and gives the connection back. */
  async end(): Promise<void> {
    await this.#inTurn(() => this.runner.release());
  }

  #rows<T extends object>(sql: string, values: readonly SqlValue[] = []): Promise<T[]> {
    return this.#inTurn(() => this.db.rows<T>(sql, values, this.runner));
  }

  #one<T extends object>(sql: string, values: readonly SqlValue[] = []): Promise<T | null> {
    return this.#inTurn(() => this.db.one<T>(sql, values, this.runner));
  }

  #affected(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return this.#inTurn(() => this.db.affected(sql, values, this.runner));
  }
}

/** Fields of an update through which an identifier could be sent. */
const TOUCHES_IDENTIFIERS = `fields ?| array['sku', 'barcode', 'mpn', 'asin', 'variants']`;

/** A product's row as `LinkRow`. */
const LINK = `jsonb_build_object('externalId', product.external_id, 'state', product.state, 'catalogId', product.catalog_id,
  'sourceFingerprint', product.source_fingerprint, 'pushedFields', product.pushed_fields, 'written', product.written,
  'withheld', product.withheld, 'creating', product.creation_task_id IS NOT NULL,
  'writing', coalesce(product.write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
    WHERE write_back.external_id = product.external_id AND write_back.state = 'ready' AND write_back.sent <> '{}'))`;

const MOVED = `(product.state = 'linked' AND product.read_mark = read.mark) IS NOT TRUE`;
