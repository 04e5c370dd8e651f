import type pg from 'pg';
import type { SeenWrite } from './store-door.js';

/** The database user of a replica. Each has one, so that a trigger knows whose statement it sees. */
export const userOf = (replica: number): string => `replica_${String(replica)}`;

/** Keeps every change of a product's write lease, with the replica that made it and the time. */
export async function recordLeases(db: pg.Pool): Promise<void> {
  await db.query(`
    CREATE TABLE IF NOT EXISTS soak_lease (
      at timestamptz NOT NULL DEFAULT clock_timestamp(), holder text NOT NULL DEFAULT session_user,
      external_id text NOT NULL, lease text, until timestamptz);
    CREATE OR REPLACE FUNCTION soak_record_lease() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO soak_lease (external_id, lease, until) VALUES (NEW.external_id, NEW.write_lease, NEW.write_lease_until);
        RETURN NULL;
      END $$;
    CREATE OR REPLACE TRIGGER soak_record_lease AFTER UPDATE OF write_lease, write_lease_until ON store_product
      FOR EACH ROW EXECUTE FUNCTION soak_record_lease()`);
}

interface LeaseRow {
  readonly at: Date;
  readonly holder: string;
  readonly external_id: string;
  readonly lease: string | null;
  readonly until: Date | null;
}

/** Writes of a replica that did not hold the product's lease when its request arrived at the store. */
export async function writesWithoutLease(db: pg.Pool, writes: readonly SeenWrite[]): Promise<string[]> {
  const { rows } = await db.query<LeaseRow>('SELECT * FROM soak_lease ORDER BY at');
  const byProduct = Map.groupBy(rows, (row) => row.external_id);
  return writes.flatMap(({ at, replica, externalId }) => {
    const held = byProduct.get(externalId)?.findLast((row) => row.at.getTime() <= at);
    if (held?.lease != null && held.holder === userOf(replica) && (held.until?.getTime() ?? 0) >= at)
      return [];
    const lease =
      held === undefined ? 'nobody' : `${held.holder} until ${held.until?.toISOString() ?? 'then'}`;
    return [
      `${externalId}: written by ${userOf(replica)} at ${new Date(at).toISOString()}, the lease was of ${lease}`,
    ];
  });
}
