import type { QueryRunner } from 'typeorm';
import type { WrittenContent } from '../domain/written-content.js';
import type { Database } from './database.js';
import { StoreProductEntity } from './entities/store-product.entity.js';

/** Locks the product's row until the transaction ends, so that nobody takes the product over meanwhile. */
export async function isHeld(
  db: Database,
  externalId: string,
  lease: string,
  runner: QueryRunner,
): Promise<boolean> {
  const row = await db.readOne(
    db.reader(StoreProductEntity).only('externalId'),
    // SQL: the row lock keeps the lease until the transaction ends.
    'SELECT external_id FROM store_product WHERE external_id = $1 AND write_lease = $2 FOR UPDATE',
    [externalId, lease],
    runner,
  );
  return row !== null;
}

export async function moveWritten(
  externalId: string,
  written: WrittenContent,
  runner: QueryRunner,
): Promise<void> {
  await runner.manager.getRepository(StoreProductEntity).update({ externalId }, { written });
}
