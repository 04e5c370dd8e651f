import type { QueryRunner } from 'typeorm';
import type { Database } from './database.js';

/** All bearers, in every store of the workspace, of the identifiers that the given products bear. */
export async function bearersOf(
  db: Database,
  workspace: string,
  products: readonly string[],
  runner?: QueryRunner,
): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ kind: string; value: string; owners: string[] }>(
    `SELECT kind, value, array_agg(DISTINCT owner ORDER BY owner) AS owners FROM product_identifier
     WHERE workspace = $1 AND (kind, value) IN
       (SELECT kind, value FROM product_identifier WHERE workspace = $1 AND product = ANY($2))
     GROUP BY kind, value HAVING count(DISTINCT owner) > 1`,
    [workspace, products],
    runner,
  );
  return new Map(rows.map((row) => [`${row.kind}\u0000${row.value}`, row.owners]));
}
