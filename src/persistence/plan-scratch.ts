import type { PlanSession } from './plan-session.js';

/**
 * The scratch tables of plans, in the session's own schema. Each connection makes them once, with the first plan that it is used for.
 * Each commit empties them. To make and drop them for every plan took a small run a third of the database's time, and slowed down the
 * statements of every other connection.
 *
 * A pooler may give a connection to another version of the program. So a table whose columns change gets another name.
 */
const TABLES = {
  /** The products that a read met. */
  seen: 'external_id text NOT NULL',
  /** Products whose fingerprint moved, and nothing else. */
  unchanged: 'external_id text, revision bigint, mark text, fingerprint text',
  /** Products that the catalog no longer has. */
  gone_from_catalog: 'external_id text PRIMARY KEY',
  /** Identifiers that products of the catalog have, and those products themselves. */
  holder: 'kind text, value text, catalog_id text NOT NULL, external_id text, is_variant boolean NOT NULL',
  /** Store ids that were asked for and do not exist. */
  gone: 'store_id text PRIMARY KEY',
  /** Products that cannot be planned now. */
  put_off: 'product jsonb NOT NULL',
};

type ScratchTable = keyof typeof TABLES;

/** A table of fewer rows is read as fast without an index, and an index takes longer than the reads. */
const WORTH_AN_INDEX = 1_000;

/**
 * The scratch tables that a plan uses.
 *
 * SQL: they have no entity.
 */
export class PlanScratch {
  readonly #indexed = new Set<ScratchTable>();

  private constructor(private readonly session: PlanSession) {}

  static async begin(session: PlanSession): Promise<PlanScratch> {
    const tables = Object.entries(TABLES).map(
      ([name, columns]) => `CREATE TEMP TABLE IF NOT EXISTS ${name} (${columns}) ON COMMIT DELETE ROWS`,
    );
    await session.affected(tables.join('; '));
    return new PlanScratch(session);
  }

  /**
   * Prepares a table that has its rows for look-ups, where that is worth it. The statements that follow look single rows up, more of them
   * than the planner may expect: without an index it could go through a large table for each.
   */
  async index(table: ScratchTable, rows: number, statements: readonly string[]): Promise<void> {
    if (rows < WORTH_AN_INDEX) return;
    this.#indexed.add(table);
    await this.session.affected(statements.join('; '));
  }

  /** Right before the commit. An index that stayed would slow down the next plan, which adds its rows first. */
  async dropIndexed(): Promise<void> {
    if (this.#indexed.size > 0) await this.session.affected(`DROP TABLE ${[...this.#indexed].join(', ')}`);
  }
}
