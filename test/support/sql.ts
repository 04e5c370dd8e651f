import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { Database, SqlValue } from '../../src/persistence/database.js';

/** Rows of a statement under camel-case names. A test says itself of which type they are; the program checks each of its rows. */
export async function sqlRows<T = unknown>(
  db: Database,
  sql: string,
  values: readonly SqlValue[] = [],
  runner?: QueryRunner,
): Promise<T[]> {
  return db.read(z.custom<T>(), sql, values, runner);
}

export async function sqlRow<T = unknown>(
  db: Database,
  sql: string,
  values: readonly SqlValue[] = [],
  runner?: QueryRunner,
): Promise<T | null> {
  const [row] = await sqlRows<T>(db, sql, values, runner);
  return row ?? null;
}
