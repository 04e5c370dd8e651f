import { In } from 'typeorm';
import type { Database } from './database.js';
import { StoreProductEntity } from './entities/store-product.entity.js';

/**
 * Display names of products by external_id, without those that have no link. A product without a title is called by its external_id.
 * One statement for a whole page.
 */
export async function productLabels(
  db: Database,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await db.repository(StoreProductEntity).find({
    select: { externalId: true, label: true },
    where: { externalId: In([...new Set(externalIds)]) },
  });
  return new Map(rows.map(({ externalId, label }) => [externalId, label.trim() === '' ? externalId : label]));
}
