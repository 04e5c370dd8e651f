import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

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
});
