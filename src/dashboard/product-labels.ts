import { z } from 'zod';
import type { Database } from '../persistence/database.js';
import { nameOf } from './elements.js';

/** Display names of products by external_id, without those that have no link. One statement for a whole page. */
export async function productLabels(
  db: Database,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await db.read(
    z.object({ externalId: z.string(), label: z.string() }),
    'SELECT external_id, label FROM store_product WHERE external_id = ANY($1)',
    [[...new Set(externalIds)]],
  );
  return new Map(rows.map((row) => [row.externalId, nameOf(row.label, row.externalId)]));
}
