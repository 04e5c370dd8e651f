import type { PlanSession } from './plan-session.js';

/**
 * The temporary tables of plans. A connection creates each with the first plan that needs it, and keeps it. Every commit empties them. To
 * create and drop them for every plan took a third of the database's time in a small run, and slowed down all other connections.
 *
 * Behind a pooler, another release of the program may have created them. So a table whose columns change gets another name.
 */
const TABLES = {
  /** The products that a read met. */
  seen: 'external_id text NOT NULL',
  /** Products of the catalog, and the identifiers that they have. */
  holder: 'kind text, value text, catalog_id text NOT NULL, external_id text, is_variant boolean NOT NULL',
  /** Products that cannot be planned now. */
  put_off: 'product jsonb NOT NULL',
};
type Table = keyof typeof TABLES;

/** Indexes of large tables. */
const INDEXES: Readonly<Partial<Record<Table, readonly { name: string; columns: string; kind: string }[]>>> =
  {
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
  readonly #made = new Set<Table>();

  constructor(private readonly session: PlanSession) {}

  /** False for a table that the plan has not needed so far. It may not be there, and has no rows. */
  has(table: Table): boolean {
    return this.#made.has(table);
  }

  /**
   * Called before the plan's first statement with the table, which is empty. Does nothing when the plan has it already. `before`: a
   * statement that is sent with it and runs first.
   */
  async make(table: Table, before?: string): Promise<void> {
    if (this.#made.has(table)) return;
    // The statements of a plan go one after the other, so that those that follow find the table.
    this.#made.add(table);
    // Rows are added before there is an index, so those of an earlier plan are dropped.
    const names = (INDEXES[table] ?? []).map(({ name }) => `pg_temp.${name}`);
    await this.session.affected(
      [
        ...(before === undefined ? [] : [before]),
        `CREATE TEMP TABLE IF NOT EXISTS ${table} (${TABLES[table]}) ON COMMIT DELETE ROWS`,
        ...(names.length === 0 ? [] : [`DROP INDEX IF EXISTS ${names.join(', ')}`]),
      ].join('; '),
    );
  }

  /**
   * Called when a table has its rows. The statements that follow look up single rows, more of them than PostgreSQL may expect: without an
   * index it could read a large table to its end for each. False for a small table, which gets none.
   */
  async index(table: Table, rows: number): Promise<boolean> {
    if (rows < FEWEST_INDEXED) return false;
    const indexes = (INDEXES[table] ?? []).map(
      ({ kind, name, columns }) => `CREATE ${kind} IF NOT EXISTS ${name} ON ${table} (${columns})`,
    );
    await this.session.affected(indexes.join('; '));
    return true;
  }
}
