import type { QueryRunner } from 'typeorm';
import type { Database } from './database.js';

/** All bearers, in every store of the workspace, of those identifiers of the given products that others bear as well. */
export async function bearersOf(
  db: Database,
  workspace: string,
  products: readonly string[],
  runner?: QueryRunner,
): Promise<Map<string, string[]>> {
  const rows = await db.rows<{ kind: string; value: string; owners: string[] }>(
    // Joined in a way that takes the indexes also while a first load has filled the table and nothing is known of it yet.
    `WITH shared AS (
       SELECT DISTINCT own.kind, own.value FROM unnest($2::text[]) AS asked(product)
       JOIN product_identifier AS own ON own.product = asked.product AND own.workspace = $1
       JOIN product_identifier AS other ON other.workspace = $1 AND other.kind = own.kind AND other.value = own.value
         AND other.owner <> own.owner
     )
     SELECT kind, value, array_agg(DISTINCT owner ORDER BY owner) AS owners FROM shared
     JOIN product_identifier USING (kind, value) WHERE workspace = $1 GROUP BY kind, value`,
    [workspace, products],
    runner,
  );
  return new Map(rows.map((row) => [`${row.kind}\u0000${row.value}`, row.owners]));
}
