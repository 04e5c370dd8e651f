import type { OnApplicationShutdown } from '@nestjs/common';
import {
  Raw,
  type DataSource,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { countRow, parsedRow } from './rows.js';

/** A value that the driver can send; plain objects and arrays for jsonb columns go through `json`. */
export type SqlValue =
  string | number | boolean | Date | Buffer | null | readonly (string | number | boolean | null)[];

/** A transaction that is under way, for what is written within it. */
export type Transaction = QueryRunner;

/** A condition of a repository's `where`: the column is not later than now, by the database's clock. */
export const BEFORE_NOW = Raw((column) => `${column} <= now()`);

/** SQL: how long the due rows of a side wait that does not answer. */
export const SILENT_SIDE_WAIT = `interval '30 seconds'`;

/**
 * The database in two ways. Plain reads, lists and counts go through `repository`. Statements written by hand are for what a repository
 * cannot do, or not fast enough: guarded updates, bulk writes and hot paths. Their rows are checked by the schema that they name.
 */
export class Database implements OnApplicationShutdown {
  constructor(readonly dataSource: DataSource) {}

  repository<E extends ObjectLiteral>(entity: EntityTarget<E>): Repository<E> {
    return this.dataSource.getRepository(entity);
  }

  /** All rows of a statement, under camel-case names, each parsed by its schema. */
  async read<T>(
    schema: z.ZodType<T>,
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T[]> {
    const result = await this.#run(sql, values, runner);
    return result.records.map((row: object) => parsedRow(schema, row));
  }

  /** The first row of a statement, parsed by its schema; null when there is none. */
  async readOne<T>(
    schema: z.ZodType<T>,
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T | null> {
    const [row] = await this.read(schema, sql, values, runner);
    return row ?? null;
  }

  /** The row of a statement that always has one, as an aggregate has. */
  async one<T>(
    schema: z.ZodType<T>,
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T> {
    const [row] = await this.read(schema, sql, values, runner);
    if (row === undefined) throw new TypeError('a statement without a row');
    return row;
  }

  /** The texts of a statement that selects one column. */
  async texts(sql: string, values: readonly SqlValue[] = [], runner?: QueryRunner): Promise<string[]> {
    return (await this.read(textRow, sql, values, runner)).flatMap(Object.values<string>);
  }

  /** The number that a statement counts. */
  async count(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.one(countRow, sql, values)).count;
  }

  /** Whether the condition holds that a statement selects as `holds`. */
  async holds(sql: string, values: readonly SqlValue[] = [], runner?: QueryRunner): Promise<boolean> {
    return (await this.one(z.object({ holds: z.boolean() }), sql, values, runner)).holds;
  }

  /** The row with this id, as it came from outside; null for what is no row's. */
  async byId<E extends { id: string }>(entity: EntityTarget<E>, id: string): Promise<E | null> {
    const known = uuid(id);
    return known === null
      ? null
      : this.repository(entity).createQueryBuilder('entry').whereInIds(known).getOne();
  }

  /** The moment by the clock of the database, which rows are stamped with. */
  async now(): Promise<Date> {
    return (await this.one(z.object({ at: z.date() }), 'SELECT clock_timestamp() AS at')).at;
  }

  /** Number of rows that an INSERT, UPDATE or DELETE touched. */
  async affected(sql: string, values: readonly SqlValue[] = [], runner?: QueryRunner): Promise<number> {
    const result = await this.#run(sql, values, runner);
    return result.affected ?? 0;
  }

  /** Runs a guarded change of one row. False when the row was no longer in the expected state, so that nothing changed. */
  async moves(sql: string, values: readonly SqlValue[] = [], runner?: QueryRunner): Promise<boolean> {
    return (await this.affected(sql, values, runner)) === 1;
  }

  /** Throws when the database does not answer, or takes no writes: a standby, or one that was set to read-only. */
  async assertWritable(): Promise<void> {
    const { readOnly } = await this.one(
      z.object({ readOnly: z.boolean() }),
      `SELECT current_setting('transaction_read_only')::boolean AS read_only`,
    );
    if (readOnly) throw new CodedError('transient', 'the database is read-only');
  }

  /** Nest's last hook: classes that shut down earlier may still write. */
  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
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

const textRow = z.record(z.string(), z.string());

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A row's id as it came from outside: null, which is no row's, unless it could be one. */
export function uuid(id: string): string | null {
  return UUID.test(id) ? id : null;
}

/** A jsonb parameter: the driver would send an array as a PostgreSQL array. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** An SQL interval: the step with this number, from 1, of a JSON array of milliseconds; after the last step, the last. */
export function stepAt(stepsMs: string, number: string): string {
  const steps = `(${stepsMs})::jsonb`;
  return `(${steps}->>(least(${number}, jsonb_array_length(${steps})) - 1))::double precision * interval '1 millisecond'`;
}
