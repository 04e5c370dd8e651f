import { In } from 'typeorm';
import type { Database } from '../persistence/database.js';
import { StoreProductEntity } from '../persistence/entities/store-product.entity.js';
import { nameOf } from './elements.js';

/** Display names of products by external_id, without those that have no link. One statement for a whole page. */
export async function productLabels(
  db: Database,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await db.repository(StoreProductEntity).find({
    select: { externalId: true, label: true },
    where: { externalId: In([...new Set(externalIds)]) },
  });
  return new Map(rows.map((row) => [row.externalId, nameOf(row.label, row.externalId)]));
}
