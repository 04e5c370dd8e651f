import { z } from 'zod';
import { LINK_STATES } from '../domain/row-states.js';
import { MaybeSet } from '../runtime/maybe-set.js';
import { json } from './database.js';
import type { LinkRow, MetProducts, UnchangedProduct } from './plan-rows.js';
import type { PlanScratch } from './plan-scratch.js';
import type { PlanSession } from './plan-session.js';
import { isObjectOrNull } from './row-reader.js';

/**
 * The products that a read met, and what is known of each.
 *
 * SQL: the products of a read are in scratch tables that no entity describes.
 */
export class PlanReads {
  /** The external_ids in `seen`. To keep its index while products are added would cost more than all else that is done there. */
  readonly #met = new MaybeSet();

  /** Products that the catalog no longer has. */
  readonly #gone = new Set<string>();

  constructor(
    private readonly session: PlanSession,
    private readonly scratch: PlanScratch,
  ) {}

  async links(externalIds: readonly string[]): Promise<Map<string, LinkRow>> {
    const rows = await this.session.read(
      linkRow,
      // SQL: `LINK` computes whether a write is in progress, by the clock of the database.
      `SELECT ${LINK} FROM store_product AS product WHERE external_id = ANY($1) AND store = $2`,
      [externalIds, this.session.run.store],
    );
    return new Map(
      rows.map((row) => [row.externalId, { ...row, goneFromCatalog: this.#gone.has(row.externalId) }]),
    );
  }

  /** The catalog no longer has these products: the plan creates them again. */
  noteGone(externalIds: readonly string[]): void {
    for (const externalId of externalIds) this.#gone.add(externalId);
  }

  /** Records the products of a batch, and returns those that are new in this run, with their links. One batch is met after the other. */
  async meet(externalIds: readonly string[]): Promise<MetProducts> {
    const fresh = await this.#firstMet([...new Set(externalIds)]);
    if (fresh.length === 0) return new Map();
    await this.session.affected('INSERT INTO seen SELECT unnest($1::text[])', [fresh]);
    const links = await this.links(fresh);
    return new Map(fresh.map((externalId) => [externalId, links.get(externalId) ?? null]));
  }

  /** Without the products that an earlier batch had. */
  async #firstMet(externalIds: readonly string[]): Promise<readonly string[]> {
    const maybe = externalIds.filter((externalId) => this.#met.add(externalId));
    if (maybe.length === 0) return externalIds;
    const met = await this.metOf(maybe);
    return externalIds.filter((externalId) => !met.has(externalId));
  }

  /** Called when the last batch was met. */
  async allMet(): Promise<void> {
    await this.scratch.index('seen', this.#met.size);
  }

  /**
   * Notes the fingerprints of unchanged products. They are true whatever comes of the plan, so that they are written at once, on another
   * connection, unless another worker has taken the run over. A product whose fingerprint has changed since it was compared keeps that.
   */
  async rememberUnchanged(products: readonly UnchangedProduct[]): Promise<void> {
    const { id, lease = null } = this.session.run;
    if (products.length === 0 || lease === null) return;
    await this.session.db.affected(
      `UPDATE store_product AS product SET source_fingerprint = row.fingerprint
       FROM jsonb_to_recordset($1::jsonb) AS row("externalId" text, before text, fingerprint text)
       WHERE product.external_id = row."externalId" AND product.source_fingerprint IS NOT DISTINCT FROM row.before
         AND EXISTS (SELECT 1 FROM sync_run WHERE id = $2 AND lease = $3 AND state = 'running')`,
      [json(products), id, lease],
    );
  }

  /** Those of the products that the read met. */
  async metOf(externalIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.session.read(
      z.object({ externalId: z.string() }),
      // SQL: reads a scratch table.
      'SELECT external_id FROM seen WHERE external_id = ANY($1)',
      [externalIds],
    );
    return new Set(rows.map((row) => row.externalId));
  }

  /** Store ids of the linked products that the read did not meet. */
  async unseen(): Promise<{ externalId: string; storeId: string }[]> {
    return this.session.read(
      z.object({ externalId: z.string(), storeId: z.string() }),
      // SQL: `NOT EXISTS` on the scratch table of the read.
      `SELECT external_id, store_id FROM store_product AS product WHERE store = $1 AND state <> 'orphaned'
         AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.external_id = product.external_id)`,
      [this.session.run.store],
    );
  }
}

/** The columns of a product's row, the alias `product`, that make a link. */
const LINK = `product.external_id, product.state, product.catalog_id, product.source_fingerprint, product.pushed_fields, product.written,
  product.withheld, product.creation_task_id IS NOT NULL AS creating,
  coalesce(product.write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
    WHERE write_back.external_id = product.external_id AND write_back.state = 'ready' AND write_back.sent <> '{}') AS writing`;

const linkRow = z.object({
  externalId: z.string(),
  state: z.enum(LINK_STATES),
  catalogId: z.string().nullable(),
  sourceFingerprint: z.string().nullable(),
  pushedFields: z.custom<LinkRow['pushedFields']>(isObjectOrNull),
  written: z.custom<LinkRow['written']>(isObjectOrNull),
  withheld: z.custom<LinkRow['withheld']>(Array.isArray),
  creating: z.boolean(),
  writing: z.boolean(),
});
