import { beforeAll, describe, expect, it } from '@jest/globals';
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

/** The columns of an empty database after each migration, the first one's first. */
const schemas: ReadonlyMap<string, Column>[] = [];

beforeAll(async () => {
  const { url } = await createTestDatabase();
  for (let count = 1; count <= MIGRATIONS.length; count += 1) {
    const migrations = MIGRATIONS.slice(0, count);
    const source = await new DataSource({ type: 'postgres', url, migrations }).initialize();
    try {
      await source.runMigrations({ transaction: 'each' });
      const rows = await source.query<Column[]>(COLUMNS);
      schemas.push(new Map(rows.map((row) => [row.name, row])));
    } finally {
      await source.destroy();
    }
  }
});

/** While a deploy rolls, the release before works on the schema of the next: it knows its own columns and none of the new ones. */
describe.each(MIGRATIONS.slice(1).map((migration, index) => [migration.name, index] as const))(
  'the schema of %s',
  (_name, before) => {
    it('serves the release before it too: nothing is gone or narrower, and what is new fills itself', () => {
      const [old, next] = [schemas[before]!, schemas[before + 1]!];
      expect(old.size).toBeGreaterThan(0);
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
