import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS } from '../../../src/persistence/migrations/index.js';
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../../support/postgres.js';

const databases: TestDatabase[] = [];
afterAll(async () => {
  await Promise.all(databases.map(async (database) => await database.drop()));
});

async function ask(url: string, query: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}

describe('the test database', () => {
  it('is fresh and its own at every call', async () => {
    databases.push(...(await Promise.all([createTestDatabase(), createTestDatabase()])));
    const [one, two] = databases;
    await ask(one?.url ?? '', 'CREATE TABLE only_here (id int)');
    expect(await ask(two?.url ?? '', "SELECT to_regclass('only_here') AS found")).toEqual([{ found: null }]);
  });

  it('speaks UTF8 and knows upper and lower case beyond ASCII', async () => {
    const database = await createTestDatabase();
    databases.push(database);
    expect(
      await ask(database.url, "SELECT lower('ÄÉ') AS lower, version() LIKE 'PostgreSQL 17%' AS ours"),
    ).toEqual([{ lower: 'äé', ours: true }]);
  });

  it('has every table after a copy of the migrated template, and shares no row with another copy', async () => {
    databases.push(...(await Promise.all([createMigratedDatabase(), createMigratedDatabase()])));
    const [one, two] = databases.slice(-2).map(({ url }) => url);
    expect(await ask(one!, 'SELECT count(*)::int AS applied FROM migrations')).toEqual([
      { applied: MIGRATIONS.length },
    ]);
    await ask(one!, `INSERT INTO store_state (store) VALUES ('main')`);
    expect(await ask(two!, 'SELECT * FROM store_state')).toEqual([]);
  });
});
