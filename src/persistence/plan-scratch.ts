import type { PlanSession } from './plan-session.js';

/**
 * The temporary tables of plans. Each connection creates them with its first plan and keeps them. Every commit empties them. To create
 * and drop them for every plan took a third of the database's time in a small run, and slowed down all other connections.
 *
 * Behind a pooler, another release of the program may have created them. So a table whose columns change gets another name.
 */
const TABLES = {
  /** The products that a read met. */
  seen: 'external_id text NOT NULL',
  /** Products that did not change, although their fingerprint did: the rules that it is made by are new. */
  unchanged: 'external_id text, revision bigint, mark text, fingerprint text',
  /** Products that the catalog no longer has. */
  gone_from_catalog: 'external_id text PRIMARY KEY',
  /** Products of the catalog, and the identifiers that they have. */
  holder: 'kind text, value text, catalog_id text NOT NULL, external_id text, is_variant boolean NOT NULL',
  /** Store ids that were asked for and do not exist. */
  gone: 'store_id text PRIMARY KEY',
  /** Products that cannot be planned now. */
  put_off: 'product jsonb NOT NULL',
};

/** Indexes of large tables. */
const INDEXES = {
  seen: [{ name: 'seen_by_product', columns: 'external_id', kind: 'UNIQUE INDEX' }],
  holder: [
    { name: 'holder_by_identifier', columns: 'kind, value', kind: 'INDEX' },
    { name: 'holder_by_product', columns: 'external_id', kind: 'INDEX' },
  ],
};

/** A table with fewer rows is searched as fast without an index. */
const FEWEST_INDEXED = 1_000;

/**
 * The temporary tables of one plan.
 *
 * SQL: no entity describes them.
 */
export class PlanScratch {
  private constructor(private readonly session: PlanSession) {}

  /** The tables are there and empty. Rows are added before there is an index, so those of an earlier plan are dropped. */
  static async begin(session: PlanSession): Promise<PlanScratch> {
    const tables = Object.entries(TABLES).map(
      ([name, columns]) => `CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns}) ON COMMIT DELETE ROWS`,
    );
    const names = Object.values(INDEXES).flatMap((indexes) => indexes.map(({ name }) => `pg_temp.${name}`));
    await session.affected([...tables, `DROP INDEX IF EXISTS ${names.join(', ')}`].join('; '));
    return new PlanScratch(session);
  }

  /**
   * Called when a table has its rows. The statements that follow look up single rows, more of them than PostgreSQL may expect: without an
   * index it could read a large table to its end for each. False for a small table, which gets none.
   */
  async index(table: keyof typeof INDEXES, rows: number): Promise<boolean> {
    if (rows < FEWEST_INDEXED) return false;
    const indexes = INDEXES[table].map(
      ({ kind, name, columns }) => `CREATE ${kind} IF NOT EXISTS ${name} ON ${table} (${columns})`,
    );
    await this.session.affected(indexes.join('; '));
    return true;
  }
}
