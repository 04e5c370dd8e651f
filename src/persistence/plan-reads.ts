import { z } from 'zod';
import { MaybeSet } from '../runtime/maybe-set.js';
import type { LinkBaseRow, LinkRow, MetProducts, UnchangedProduct } from './plan-rows.js';
import type { PlanScratch } from './plan-scratch.js';
import type { PlanSession } from './plan-session.js';
import type { RowReader } from './row-reader.js';

/**
 * The products that a read met, and what is known of each. Fingerprints of unchanged products are kept in a scratch
 * table and written by `write`, right before the commit. So no row is locked while the store and the catalog are read.
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
      linkReader,
      // SQL: `LINK` computes whether a write is in progress, by the clock of the database.
      `SELECT product.external_id, ${LINK}, product.pushed_fields FROM store_product AS product WHERE external_id = ANY($1) AND store = $2`,
      [externalIds, this.session.run.store],
    );
    return new Map(rows.map((link) => [link.externalId, this.#withGone(link)]));
  }

  /** The catalog no longer has these products: the plan creates them again. */
  noteGone(externalIds: readonly string[]): void {
    for (const externalId of externalIds) this.#gone.add(externalId);
  }

  #withGone<L extends LinkBaseRow>(link: L): L {
    return this.#gone.has(link.externalId) ? { ...link, goneFromCatalog: true } : link;
  }

  /**
   * Records the products of a batch. Returns those that are new in this run: how many, and the ones that have to be looked at, with
   * their links. `marks` has the digest of each product's read, null where it has none. One batch is met after the other.
   */
  async meet(marks: ReadonlyMap<string, string | null>): Promise<MetProducts> {
    const fresh = await this.#firstMet(marks);
    if (fresh.size === 0) return { met: 0, moved: new Map() };
    // SQL: measured; one statement for each batch of a read, however large the store is. Each mark is looked up by itself: a join
    // could go through all marks in each batch: while they are written, the planner knows nothing of them but their number.
    const rows = await this.session.read(
      metReader,
      `WITH read AS (
         SELECT external_id, mark FROM unnest(${arrayOfLines('$1')}, ${arrayOfLines('$2')}) AS read(external_id, mark)
       ), met AS (
         INSERT INTO seen SELECT external_id FROM read
       )
       SELECT read.external_id, ${LINK} FROM read
       LEFT JOIN store_product AS product ON product.external_id = read.external_id AND product.store = $3
       WHERE (product.state = 'linked' AND read.mark = (
         SELECT mark FROM read_mark WHERE external_id = read.external_id AND revision = product.revision)) IS NOT TRUE`,
      [linesOf([...fresh.keys()]), linesOf([...fresh.values()]), this.session.run.store],
    );
    return {
      met: fresh.size,
      moved: new Map(rows.map(({ externalId, link }) => [externalId, link && this.#withGone(link)])),
    };
  }

  /** Without the products that an earlier batch had. */
  async #firstMet(marks: ReadonlyMap<string, string | null>): Promise<ReadonlyMap<string, string | null>> {
    const maybe = [...marks.keys()].filter((externalId) => this.#met.add(externalId));
    if (maybe.length === 0) return marks;
    const met = await this.metOf(maybe);
    return new Map([...marks].filter(([externalId]) => !met.has(externalId)));
  }

  /** Called when the last batch was met. */
  async allMet(): Promise<void> {
    await this.scratch.index('seen', this.#met.size);
  }

  /**
   * Remembers what was found about unchanged products; each at most once, unless it is forgotten first. A mark says what was compared with
   * a revision of the product. That is true whatever comes of the plan, so that it is written at once, on another connection, unless
   * another worker has taken the run over.
   */
  async rememberUnchanged(products: readonly UnchangedProduct[]): Promise<void> {
    await Promise.all([
      this.#keepMarks(products.filter(({ fingerprint }) => fingerprint === null)),
      this.#keepMoved(products.filter(({ fingerprint }) => fingerprint !== null)),
    ]);
  }

  async #keepMarks(products: readonly UnchangedProduct[]): Promise<void> {
    const { id, store, lease = null } = this.session.run;
    if (products.length === 0 || lease === null) return;
    await this.session.db.affected(
      `INSERT INTO read_mark (external_id, store, revision, mark)
       SELECT external_id, $4, revision, mark FROM unnest(${arrayOfLines('$1')}, ${arrayOfLines('$2')}::bigint[], ${arrayOfLines('$3')})
         AS news(external_id, revision, mark)
       WHERE mark IS NOT NULL AND EXISTS (SELECT 1 FROM sync_run WHERE id = $5 AND lease = $6 AND state = 'running')
       ON CONFLICT (external_id) DO UPDATE SET store = excluded.store, revision = excluded.revision, mark = excluded.mark`,
      [
        linesOf(products.map(({ externalId }) => externalId)),
        linesOf(products.map(({ revision }) => revision)),
        linesOf(products.map(({ mark }) => mark)),
        store,
        id,
        lease,
      ],
    );
  }

  async #keepMoved(products: readonly UnchangedProduct[]): Promise<void> {
    if (products.length === 0) return;
    await this.scratch.make('unchanged');
    await this.session.affected(
      `INSERT INTO unchanged (external_id, revision, mark, fingerprint)
       SELECT * FROM unnest(${arrayOfLines('$1')}, ${arrayOfLines('$2')}::bigint[], ${arrayOfLines('$3')}, ${arrayOfLines('$4')})`,
      [
        linesOf(products.map(({ externalId }) => externalId)),
        linesOf(products.map(({ revision }) => revision)),
        linesOf(products.map(({ mark }) => mark)),
        linesOf(products.map(({ fingerprint }) => fingerprint)),
      ],
    );
  }

  /** Forgets what was found about unchanged products that are planned again. */
  async forget(externalIds: readonly string[]): Promise<void> {
    if (!this.scratch.has('unchanged')) return;
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
   * Writes what the read taught. A product that has changed since it was compared keeps what the other writer left. A mark of its
   * earlier revision says nothing, so that the next run compares it again.
   */
  async write(): Promise<void> {
    if (!this.scratch.has('unchanged')) return;
    await this.session.affected(
      `WITH product AS (
         UPDATE store_product AS product SET source_fingerprint = news.fingerprint FROM unchanged AS news
         WHERE product.external_id = news.external_id AND product.revision = news.revision
         RETURNING product.external_id, product.revision
       )
       INSERT INTO read_mark (external_id, store, revision, mark)
       SELECT product.external_id, $1, product.revision, news.mark
       FROM unchanged AS news JOIN product USING (external_id) WHERE news.mark IS NOT NULL
       ON CONFLICT (external_id) DO UPDATE SET store = excluded.store, revision = excluded.revision, mark = excluded.mark`,
      [this.session.run.store],
    );
  }
}

/** The columns of a product's row, the alias `product`, that make a `LinkBaseRow`. Of most products the text columns are empty, and are not parsed. */
const LINK = `product.revision, product.state, product.catalog_id, product.source_fingerprint, product.written::text AS written,
  product.withheld::text AS withheld, product.creation_task_id IS NOT NULL AS creating,
  coalesce(product.write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
    WHERE write_back.external_id = product.external_id AND write_back.state = 'ready' AND write_back.sent <> '{}') AS writing`;

/** A row of `LINK`. For a product that has no row yet, every column but the id is null. */
interface LinkColumns {
  readonly external_id: string;
  readonly revision: string;
  readonly state: LinkRow['state'] | null;
  readonly catalog_id: string | null;
  readonly source_fingerprint: string | null;
  readonly written: string | null;
  readonly withheld: string;
  readonly creating: boolean;
  readonly writing: boolean;
}

/** By hand, as it runs for every product of a store: the names are those of `LINK`, and the types are the database's. */
function hasLink(row: unknown): row is LinkColumns {
  return (
    typeof row === 'object' && row !== null && 'external_id' in row && 'state' in row && 'writing' in row
  );
}

function hasPushedFields(
  row: unknown,
): row is LinkColumns & { readonly pushed_fields: LinkRow['pushedFields'] } {
  return hasLink(row) && 'pushed_fields' in row && typeof row.pushed_fields === 'object';
}

function linkOf(row: LinkColumns): LinkBaseRow | null {
  if (row.state === null) return null;
  return {
    externalId: row.external_id,
    revision: row.revision,
    state: row.state,
    catalogId: row.catalog_id,
    sourceFingerprint: row.source_fingerprint,
    written: row.written === null ? null : (JSON.parse(row.written) as LinkRow['written']),
    withheld: row.withheld === '[]' ? [] : (JSON.parse(row.withheld) as LinkRow['withheld']),
    creating: row.creating,
    writing: row.writing,
    goneFromCatalog: false,
  };
}

const linkReader: RowReader<LinkRow> = {
  takesColumns: true,
  parse: (row) => {
    if (!hasPushedFields(row)) throw new TypeError('a link was not read as one');
    const link = linkOf(row);
    if (link === null) throw new TypeError('a link has no state');
    return { ...link, pushedFields: row.pushed_fields };
  },
};

interface MetRow {
  readonly externalId: string;
  /** Null where the store's product has no row yet. */
  readonly link: LinkBaseRow | null;
}

const metReader: RowReader<MetRow> = {
  takesColumns: true,
  parse: (row) => {
    if (!hasLink(row)) throw new TypeError('a met product was not read as one');
    return { externalId: row.external_id, link: linkOf(row) };
  },
};

/**
 * A parameter for texts without line ends, one in each line, and what makes an array of them again; an empty line is null. By hand, as
 * the driver makes several texts of each element of an array.
 */
function linesOf(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? '').join('\n');
}

function arrayOfLines(parameter: string): string {
  return `string_to_array(${parameter}, E'\\n', '')`;
}
