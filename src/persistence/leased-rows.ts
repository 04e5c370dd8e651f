import { ROW_LEASE_MS } from '../runtime/held-lease.js';
import type { Database } from './database.js';

// A worker holds a row by a lease (docs/decisions/0009-leases-and-fences.md): a token in `lease`, which ends at `lease_until` by the clock
// of the database. These are the parts of statements that all tables with leases share.

/** SQL: how long the lease of a row lasts. */
export const LEASE = `interval '${String(ROW_LEASE_MS)} milliseconds'`;

/** SQL: the assignments that take a lease, by the parameter of the token. */
export function leasedBy(token: string): string {
  return `lease = ${token}, lease_until = now() + ${LEASE}`;
}

/** SQL: the assignments that end a lease. */
export const RELEASED = 'lease = NULL, lease_until = NULL';

/** SQL: true of a row that no worker holds. */
export const IS_FREE = '(lease_until IS NULL OR lease_until < now())';

/** Called while the work goes on. False when the lease was lost: it stays lost. */
export async function keepLease(
  db: Database,
  table: 'sync_run' | 'webhook_delivery' | 'bulk_change' | 'catalog_listing',
  id: string,
  lease: string,
): Promise<boolean> {
  return db.moves(
    // SQL: guarded by the lease, and measured by the clock of the database.
    `UPDATE ${table} SET ${leasedBy('$2')} WHERE id = $1 AND lease = $2`,
    [id, lease],
  );
}
