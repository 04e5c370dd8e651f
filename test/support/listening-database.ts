import type { QueryRunner } from 'typeorm';
import type { z } from 'zod';
import { Database, type SqlValue } from '../../src/persistence/database.js';
import { sqlRows } from './sql.js';

/** Keeps the reads that pass through it, and explains them. */
export class ListeningDatabase extends Database {
  readonly reads: { readonly sql: string; readonly values: readonly SqlValue[] }[] = [];

  override async read<T>(
    schema: z.ZodType<T>,
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T[]> {
    if (sql.startsWith('SELECT')) this.reads.push({ sql, values });
    return super.read(schema, sql, values, runner);
  }

  /** The plan of each read, where every index that can serve is used: a table is read as a whole only if none can. */
  async plans(): Promise<{ readonly sql: string; readonly lines: readonly string[] }[]> {
    return this.transaction(async (runner) => {
      await runner.query('SET LOCAL enable_seqscan = off');
      const plans: { sql: string; lines: string[] }[] = [];
      for (const { sql, values } of this.reads.splice(0)) {
        const plan = await sqlRows<Record<string, string>>(this, `EXPLAIN ${sql}`, values, runner);
        plans.push({ sql, lines: plan.flatMap((row) => Object.values(row)) });
      }
      return plans;
    });
  }
}
