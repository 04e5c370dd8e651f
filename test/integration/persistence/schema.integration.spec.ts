import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { migrate, openDataSource } from '../../../src/persistence/data-source.js';
import { createTestDatabase } from '../../support/postgres.js';

/**
 * Parts of the schema that TypeORM cannot express, with the reason. Everything else of the schema stands in the
 * entities.
 */
const BEYOND_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['index write_back_by_last', 'TypeORM has no indexes on expressions'],
  ['index store_product_by_variant_id', 'TypeORM has no indexes on expressions'],
  ['table migrations', 'the list of applied migrations belongs to TypeORM itself'],
]);

let migrated: DataSource;
let described: DataSource;

beforeAll(async () => {
  migrated = await openDataSource({ url: (await createTestDatabase()).url, poolSize: 2 });
  await migrate(migrated);
  described = await openDataSource({ url: (await createTestDatabase()).url, poolSize: 2 });
  await described.synchronize();
});
afterAll(async () => {
  await Promise.all([migrated.destroy(), described.destroy()]);
});

describe('the entities', () => {
  it('describe the schema that the migrations build: TypeORM finds nothing to change', async () => {
    const { upQueries } = await migrated.driver.createSchemaBuilder().log();
    expect(upQueries.map((each) => each.query)).toEqual([]);
  });

  // TypeORM compares indexes by name and columns, and checks and references by name alone. PostgreSQL compares the rest.
  it('build the same schema on an empty database, to the last predicate, default and check', async () => {
    const [theirs, ours] = await Promise.all([schemaOf(migrated), schemaOf(described)]);
    const beyond = (name: string): boolean => BEYOND_ENTITIES.has(name);
    expect(without(ours, beyond)).toEqual(without(theirs, beyond));
  });

  it('differ from the migrations in nothing that is not listed with its reason', async () => {
    const [theirs, ours] = await Promise.all([schemaOf(migrated), schemaOf(described)]);
    const different = [...theirs].filter(([name, definition]) => ours.get(name) !== definition);
    expect(different.map(([name]) => name).sort()).toEqual([...BEYOND_ENTITIES.keys()].sort());
  });
});

function without(schema: ReadonlyMap<string, string>, left: (name: string) => boolean): string[] {
  return [...schema].filter(([name]) => !left(name)).map(([name, definition]) => `${name}: ${definition}`);
}

const Objects = z.array(z.object({ name: z.string(), definition: z.string() }));

/** Every object of the schema with its definition, as PostgreSQL prints it. */
async function schemaOf(source: DataSource): Promise<Map<string, string>> {
  const rows = Objects.parse(await source.query(SCHEMA));
  return new Map(rows.map(({ name, definition }) => [name, comparable(definition)]));
}

/**
 * A definition without insignificant details: the order of the values of an `IN (…)`, the quotes that TypeORM puts
 * around a bigint, and DESC, as `@Index` has no sort order.
 */
function comparable(definition: string): string {
  const sorted = definition.replaceAll(
    /ARRAY\[([^\]]*)\]/g,
    (_match, list: string) => `ARRAY[${list.split(', ').sort().join(', ')}]`,
  );
  return sorted.replaceAll(/ DESC(?=[,)])/g, '').replaceAll(/'(\d+)'::bigint/g, '$1');
}

const SCHEMA = `
  SELECT 'table ' || relname AS name, '' AS definition FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  UNION ALL
  SELECT 'column ' || relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN 'NOT NULL' END, 'identity ' || nullif(attidentity::text, ''),
      'DEFAULT ' || pg_get_expr(adbin, adrelid))
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations' AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT 'constraint ' || conname, conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid IS DISTINCT FROM to_regclass('migrations') AND contype <> 'n'
  UNION ALL
  SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'migrations'
  UNION ALL
  SELECT 'trigger ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function ' || proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY 1`;
