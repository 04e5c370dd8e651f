import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { recordLeases, userOf, writesWithoutLease } from '../../soak/replicas/write-leases.js';
import { startTestCluster } from '../../support/postgres.js';

const PRODUCT = 'shopify:one.myshopify.com:1';

describe('a write to a store, seen by the replica soak,', () => {
  let db: pg.Pool;
  /** Of the replicas 0 and 1. */
  let replicas: readonly pg.Pool[] = [];

  beforeAll(async () => {
    const { url } = await startTestCluster('write-leases');
    db = new pg.Pool({ connectionString: url });
    await db.query(
      'CREATE TABLE store_product (external_id text PRIMARY KEY, write_lease text, write_lease_until timestamptz)',
    );
    await db.query('INSERT INTO store_product (external_id) VALUES ($1)', [PRODUCT]);
    await recordLeases(db);
    for (const replica of [0, 1])
      await db.query(`CREATE ROLE ${userOf(replica)} SUPERUSER LOGIN PASSWORD 'x'`);
    replicas = [0, 1].map((replica) => {
      const address = new URL(url);
      Object.assign(address, { username: userOf(replica), password: 'x' });
      return new pg.Pool({ connectionString: address.href });
    });
  });
  afterAll(async () => {
    await Promise.all([db, ...replicas].map((pool) => pool.end()));
  });

  it('is held while its replica has the lease', async () => {
    await take(0, 20);
    expect(await seen(0)).toEqual([]);
  });

  it('is not held before any lease was taken', async () => {
    expect(await writesWithoutLease(db, [{ at: 0, replica: 0, externalId: PRODUCT }])).toHaveLength(1);
  });

  it('is not held once the lease has ended', async () => {
    await take(0, -1);
    expect(await seen(0)).toEqual([expect.stringContaining(`written by ${userOf(0)}`)]);
  });

  it('is not held by a replica whose lease another one took over', async () => {
    await take(0, 20);
    await take(1, 20);
    expect(await seen(1)).toEqual([]);
    expect(await seen(0)).toEqual([expect.stringContaining(`the lease was of ${userOf(1)}`)]);
  });

  it('is not held after its lease was given back', async () => {
    await take(1, 20);
    await replicas[1]?.query('UPDATE store_product SET write_lease = NULL, write_lease_until = NULL');
    expect(await seen(1)).toHaveLength(1);
  });

  async function take(replica: number, seconds: number): Promise<void> {
    await replicas[replica]?.query(
      `UPDATE store_product SET write_lease = $1, write_lease_until = now() + $2 * interval '1 second'`,
      [`lease of ${String(replica)}`, seconds],
    );
  }

  async function seen(replica: number): Promise<string[]> {
    // The time of a row has microseconds, that of a write milliseconds.
    return writesWithoutLease(db, [{ at: Date.now() + 1, replica, externalId: PRODUCT }]);
  }
});
