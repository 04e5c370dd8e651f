import type { DataSource, QueryRunner } from 'typeorm';

/** A value that the driver can send; plain objects and arrays for jsonb columns go through `json`. */
export type SqlValue =
  string | number | boolean | Date | Buffer | null | readonly (string | number | boolean | null)[];

/**
 * Statements by hand beside TypeORM's entities: guarded updates and set operations that an entity manager cannot say.
 * Column names come back in camel case, so that rows have the entities' shapes.
 */
export class Database {
  constructor(readonly dataSource: DataSource) {}

  async rows<T extends object>(
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T[]> {
    const result = await this.#run(sql, values, runner);
    return (result.records as Record<string, unknown>[]).map((row) => camelCased(row) as T);
  }

  async one<T extends object>(
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T | null> {
    const [row] = await this.rows<T>(sql, values, runner);
    return row ?? null;
  }

  /** Number of rows that an INSERT, UPDATE or DELETE touched. */
  async affected(sql: string, values: readonly SqlValue[] = [], runner?: QueryRunner): Promise<number> {
    const result = await this.#run(sql, values, runner);
    return result.affected ?? 0;
  }

  /** One transaction on one connection: committed when `work` ends, rolled back when it throws. */
  async transaction<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      const result = await work(runner);
      await runner.commitTransaction();
      return result;
    } finally {
      // Rolls back what was not committed.
      await runner.release();
    }
  }

  async #run(sql: string, values: readonly SqlValue[], runner: QueryRunner | undefined) {
    if (runner) return runner.query(sql, [...values], true);
    const own = this.dataSource.createQueryRunner();
    try {
      return await own.query(sql, [...values], true);
    } finally {
      await own.release();
    }
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A row's id as it came from outside: null, which is no row's, unless it could be one. */
export function uuid(id: string): string | null {
  return UUID.test(id) ? id : null;
}

/** A jsonb parameter: the driver would send an array as a PostgreSQL array. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Column names are few and rows many. */
const CAMEL_CASE = new Map<string, string>();

function camelCased(row: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(row)) result[camelCase(key)] = row[key];
  return result;
}

function camelCase(column: string): string {
  const known = CAMEL_CASE.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  CAMEL_CASE.set(column, name);
  return name;
}
