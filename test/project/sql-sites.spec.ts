import { describe, expect, it } from '@jest/globals';
import { sqlSites, sqlSitesOf, type SqlSite } from './sql-sites.js';

/** Parts of the program that have no object mapper. There the reason of a class is enough for its reads, too. */
const WITHOUT_ENTITIES = /^src\/(?:sandbox|embedded-postgres)\//;

function shown({ path, line, sql }: SqlSite): string {
  return `${path}:${String(line)}: ${sql}`;
}

describe('SQL statements (docs/decisions/0003-raw-sql.md)', () => {
  const sites = sqlSites();

  it('have a comment `SQL: why` at the statement, its function or its class', () => {
    expect(sites.filter(({ reason }) => reason === null).map(shown)).toEqual([]);
    // Proves that the search finds statements at all.
    expect(sites.length).toBeGreaterThan(200);
  });

  it('that only read have a reason of their own, or use a repository instead', () => {
    const reads = sites.filter(({ path, sql }) => /^SELECT\b/.test(sql) && !WITHOUT_ENTITIES.test(path));
    expect(reads.filter(({ reason }) => reason === 'class').map(shown)).toEqual([]);
  });

  it.each([
    ["db.affected('UPDATE run SET state = 1');", null],
    ["db.affected(\n  // SQL: guarded by the state.\n  'UPDATE run SET state = 1');", 'own'],
    ["// SQL: guarded by the state.\nconst MOVE = 'UPDATE run SET state = 1';", 'own'],
    [
      "/**\n * Runs.\n *\n * SQL: guarded by the state.\n */\nclass A { b() { return this.db.read('SELECT 1'); } }",
      'class',
    ],
    ["// SQL: why\nconst MOVE = 'UPDATE run SET state = 1';", null],
  ])('the reason of %j is found: %s', (text, reason) => {
    expect(sqlSitesOf('x.ts', text).map((site) => site.reason)).toEqual([reason]);
  });

  it('are not found in messages', () => {
    expect(sqlSitesOf('x.ts', "const m = ['Select a store', 'update the run', 'Begin again'];")).toEqual([]);
  });
});
