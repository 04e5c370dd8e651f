import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../src/persistence/migrations/index.js';
import { createTestDatabase } from '../support/postgres.js';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
}

const COLUMNS = `SELECT table_name || '.' || column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable,
  column_default IS NOT NULL OR is_identity = 'YES' AS "hasDefault"
  FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'`;

/** The columns after the first `count` migrations of an empty database. */
async function columnsAfter(count: number): Promise<Map<string, Column>> {
  const { url } = await createTestDatabase();
  const source = await new DataSource({
    type: 'postgres',
    url,
    migrations: MIGRATIONS.slice(0, count),
  }).initialize();
  try {
    await source.runMigrations({ transaction: 'each' });
    const rows = await source.query<Column[]>(COLUMNS);
    return new Map(rows.map((row) => [row.name, row]));
  } finally {
    await source.destroy();
  }
}

/**
 * While a deploy rolls, the release before works on the schema of the next: it names the columns that it knows, and knows
 * nothing of the new ones.
 */
describe.each(MIGRATIONS.slice(1).map((migration, index) => [migration.name, index + 1] as const))(
  'the schema of %s',
  (_name, before) => {
    it('serves the release before it too: nothing is gone or narrower, and what is new fills itself', async () => {
      const [old, next] = await Promise.all([columnsAfter(before), columnsAfter(before + 1)]);
      for (const [name, column] of old) {
        expect(next.get(name)).toMatchObject({ name, type: column.type });
        expect(next.get(name)?.nullable === true || !column.nullable).toBe(true);
      }
      const added = [...next.values()].filter(({ name }) => !old.has(name));
      const tables = new Set([...old.keys()].map((name) => name.split('.')[0]));
      const demanding = added.filter(
        ({ name, nullable, hasDefault }) => tables.has(name.split('.')[0]) && !nullable && !hasDefault,
      );
      expect(demanding).toEqual([]);
    });
  },
);
