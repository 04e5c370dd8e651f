import type { QueryRunner } from 'typeorm';
import type { JournalField } from '../domain/write-back-journal.js';
import type { WrittenContent } from '../domain/written-content.js';
import type { Database } from './database.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { rowOf } from './rows.js';

const externalIdRow = rowOf(StoreProductEntity, ['externalId']);

/** SQL: true of a product, by an expression for its row, while a write-back may be half way through. */
export function isBeingWritten(product: string): string {
  return `(coalesce(${product}.write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
    WHERE write_back.external_id = ${product}.external_id AND write_back.state = 'ready' AND write_back.sent <> '{}'))`;
}

/** Locks the product's row until the transaction ends, so that nobody takes the product over meanwhile. */
export async function isHeld(
  db: Database,
  externalId: string,
  lease: string,
  runner: QueryRunner,
): Promise<boolean> {
  const row = await db.readOne(
    externalIdRow,
    // SQL: the row lock keeps the lease until the transaction ends.
    'SELECT external_id FROM store_product WHERE external_id = $1 AND write_lease = $2 FOR UPDATE',
    [externalId, lease],
    runner,
  );
  return row !== null;
}

/** Moves the product's written content, and its title with it. */
export async function moveWritten(
  externalId: string,
  written: WrittenContent,
  fields: readonly JournalField[],
  runner: QueryRunner,
): Promise<void> {
  const label = titleAfter(fields);
  await runner.manager
    .getRepository(StoreProductEntity)
    .update({ externalId }, { written, ...(label !== null && { label }) });
}

/** The product's title in the store after a write or a revert; null when it did not change. */
function titleAfter(fields: readonly JournalField[]): string | null {
  const title = fields.find(({ target }) => target === 'title');
  if (title?.outcome === 'written') return title.after;
  return title?.outcome === 'reverted' ? title.before : null;
}
