import { z } from 'zod';
import type { LinkRow, MetProducts } from './plan-rows.js';
import type { PlanSession } from './plan-session.js';
import type { RowReader } from './row-reader.js';

/**
 * The products that a read met, and what is known of each. The results about unchanged products are kept in a scratch
 * table and written by `write`, right before the commit. So no product's row is locked while the store and the
 * catalog are read.
 *
 * SQL: the products of a read are in scratch tables that no entity describes.
 */
export class PlanReads {
  constructor(private readonly session: PlanSession) {}

  static async begin(session: PlanSession): Promise<PlanReads> {
    await session.affected('CREATE TEMP TABLE seen (external_id text PRIMARY KEY) ON COMMIT DROP');
    await session.affected(
      'CREATE TEMP TABLE unchanged (external_id text, version xid, fingerprint text, mark text) ON COMMIT DROP',
    );
    await session.affected(
      'CREATE TEMP TABLE gone_from_catalog (external_id text PRIMARY KEY) ON COMMIT DROP',
    );
    return new PlanReads(session);
  }

  async links(externalIds: readonly string[]): Promise<Map<string, LinkRow>> {
    const rows = await this.session.read(
      linkReader,
      // SQL: `LINK` computes whether a write is in progress, by the clock of the database.
      `SELECT ${LINK} AS link FROM store_product AS product WHERE external_id = ANY($1) AND store = $2`,
      [externalIds, this.session.run.store],
    );
    return new Map(rows.map((link) => [link.externalId, link]));
  }

  /**
   * Records the products of the read. Returns those that are new in this run: linked ones whose read is unchanged,
   * and the others with their links. `marks` are the digests of the read, null where it has none.
   */
  async meet(externalIds: readonly string[], marks: readonly (string | null)[]): Promise<MetProducts> {
    // SQL: measured; one statement for each batch of a read, however large the store is.
    const row = await this.session.readOne(
      metReader,
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
      [externalIds, marks, this.session.run.store],
    );
    const moved = new Map<string, LinkRow | null>((row?.unknown ?? []).map((id) => [id, null]));
    for (const link of row?.known ?? []) moved.set(link.externalId, link);
    return { met: row?.met ?? 0, moved };
  }

  /** Remembers how products were read that came out as unchanged. */
  async rememberReads(marks: ReadonlyMap<string, string>): Promise<void> {
    if (marks.size === 0) return;
    await this.session.affected(
      `INSERT INTO unchanged (external_id, version, mark)
       SELECT product.external_id, product.xmin, row.mark
       FROM unnest($1::text[], $2::text[]) AS row(external_id, mark) JOIN store_product AS product USING (external_id)
       WHERE product.store = $3 AND product.state = 'linked' AND product.withheld = '[]'
         AND product.read_mark IS DISTINCT FROM row.mark`,
      [[...marks.keys()], [...marks.values()], this.session.run.store],
    );
  }

  /** Fingerprints that moved although no field differs: the rules changed, not the product. */
  async moveFingerprints(moved: ReadonlyMap<string, string>): Promise<void> {
    if (moved.size === 0) return;
    await this.session.affected(
      `INSERT INTO unchanged (external_id, version, fingerprint)
       SELECT product.external_id, product.xmin, row.fingerprint
       FROM unnest($1::text[], $2::text[]) AS row(external_id, fingerprint) JOIN store_product AS product USING (external_id)`,
      [[...moved.keys()], [...moved.values()]],
    );
  }

  /** Forgets what was found about unchanged products that are planned again. */
  async forget(externalIds: readonly string[]): Promise<void> {
    await this.session.affected('DELETE FROM unchanged WHERE external_id = ANY($1)', [externalIds]);
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

  /**
   * Writes what the read taught. A product whose row has changed since it was compared keeps what the other writer left: it is
   * compared again by the next run.
   */
  async write(): Promise<void> {
    await this.session.affected(
      `UPDATE store_product AS product SET read_mark = coalesce(news.mark, product.read_mark),
         source_fingerprint = coalesce(news.fingerprint, product.source_fingerprint)
       FROM (SELECT external_id, min(version::text) AS version, max(fingerprint) AS fingerprint, max(mark) AS mark
         FROM unchanged GROUP BY external_id) AS news
       WHERE product.external_id = news.external_id AND product.xmin::text = news.version`,
    );
  }
}

/** Whether this plan found that the catalog no longer has the product. */
const GONE = 'EXISTS (SELECT 1 FROM gone_from_catalog AS gone WHERE gone.external_id = product.external_id)';

/** A product's row as `LinkRow`. */
const LINK = `jsonb_build_object('externalId', product.external_id, 'state', product.state, 'catalogId', product.catalog_id,
  'sourceFingerprint', product.source_fingerprint, 'pushedFields', product.pushed_fields, 'written', product.written,
  'withheld', product.withheld, 'creating', product.creation_task_id IS NOT NULL,
  'writing', coalesce(product.write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
    WHERE write_back.external_id = product.external_id AND write_back.state = 'ready' AND write_back.sent <> '{}'), 'goneFromCatalog', ${GONE})`;

const MOVED = `(product.state = 'linked' AND product.read_mark = read.mark) IS NOT TRUE`;

/** By hand, as it runs for every product of a store: the keys are those of `LINK`, and its columns are checked by the database. */
function isLink(value: unknown): value is LinkRow {
  return typeof value === 'object' && value !== null && 'externalId' in value && 'writing' in value;
}

const linkReader: RowReader<LinkRow> = {
  parse: (row) => {
    if (typeof row === 'object' && row !== null && 'link' in row && isLink(row.link)) return row.link;
    throw new TypeError('a link was not read as one');
  },
};

const metReader = z.object({
  met: z.coerce.number(),
  known: z.array(z.custom<LinkRow>(isLink)),
  unknown: z.array(z.string()),
});
