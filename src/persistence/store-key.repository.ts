import { Injectable } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import { Database } from './database.js';
import { IS_OF_STORE } from './notification.repository.js';

/** Any number, the same for every process: replicas that start together compare their keys one after the other. */
const STORE_KEY_LOCK = 7_236_402;

/** Tables whose column `store` holds a store's key and is in no unique index; a rename changes it everywhere. */
export const TABLES_OF_STORES = [
  'store_product',
  'product_identifier',
  'owed_product',
  'announced_product',
  'sync_action',
  'generation_task',
  'write_back',
  'lifecycle_event',
] as const;
/** Tables in which rows of both keys may collide; each has statements of its own. */
export const TABLES_WITH_UNIQUE_STORE = ['sync_run', 'store_state', 'report'] as const;

const storeKeyRow = z.object({ store: z.string(), identity: z.string() });
/** A shop, as the beginning of its external_ids, and the key under which its rows are kept. */
export type StoreKey = Readonly<z.infer<typeof storeKeyRow>>;
const KEYS = 'SELECT store, identity FROM store_state';

/**
 * The key under which each shop's rows are kept.
 * SQL: guarded statements on many tables in one transaction, under a lock.
 */
@Injectable()
export class StoreKeyRepository {
  constructor(private readonly db: Database) {}

  /** The shops that have rows. */
  async all(runner?: QueryRunner): Promise<StoreKey[]> {
    // SQL: on the connection that holds the lock.
    return this.db.read(storeKeyRow, `${KEYS} WHERE identity IS NOT NULL ORDER BY identity`, [], runner);
  }

  /** One process at a time: `work` reads the keys and changes them in one transaction, and what it throws undoes all of it. */
  async inTurn<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return this.db.transaction(async (runner) => {
      // SQL: a repository has no locks.
      await this.db.affected('SELECT pg_advisory_xact_lock($1)', [STORE_KEY_LOCK], runner);
      return work(runner);
    });
  }

  /** Notes the key of a shop without rows. Returns what is kept under this identity or this key afterwards. */
  async claim(entry: StoreKey): Promise<StoreKey[]> {
    await this.add(entry);
    const { identity, store } = entry;
    return this.db.read(storeKeyRow, `${KEYS} WHERE identity = $1 OR (store = $2 AND identity IS NOT NULL)`, [
      identity,
      store,
    ]);
  }

  /** Does nothing for a shop that has a key, and for a key that has a shop. */
  async add({ identity, store }: StoreKey, runner?: QueryRunner): Promise<void> {
    await this.db.affected(
      `INSERT INTO store_state AS known (store, identity)
       SELECT $2, $1 WHERE NOT EXISTS (SELECT FROM store_state WHERE identity = $1)
       ON CONFLICT (store) DO UPDATE SET identity = excluded.identity WHERE known.identity IS NULL`,
      [identity, store],
      runner,
    );
  }

  /** The shop of the store has another address. */
  async move({ identity, store }: StoreKey, runner?: QueryRunner): Promise<void> {
    await this.db.affected(
      'UPDATE store_state SET identity = $1 WHERE store = $2',
      [identity, store],
      runner,
    );
  }

  /** True while a worker holds a run of the store: its process still has the old configuration. */
  async isWorkedOn(store: string, runner: QueryRunner): Promise<boolean> {
    return this.db.holds(
      // SQL: by the database's clock.
      `SELECT EXISTS (SELECT 1 FROM sync_run WHERE store = $1 AND state = 'running' AND lease_until > now()) AS holds`,
      [store],
      runner,
    );
  }

  /** The rows of a shop follow it to another key. Rows that collide with rows of that key are ended or removed. */
  async rename(from: string, to: string, runner: QueryRunner): Promise<void> {
    for (const table of TABLES_OF_STORES)
      await this.#move(`UPDATE ${table} SET store = $2 WHERE store = $1`, from, to, runner);
    for (const statement of COLLIDING) await this.#move(statement, from, to, runner);
  }

  async #move(statement: string, from: string, to: string, runner: QueryRunner): Promise<void> {
    await this.db.affected(statement, [from, to], runner);
  }
}

/**
 * `$1` is the old key, `$2` the new one.
 * SQL: conditions on the rows of the other key.
 */
const COLLIDING = [
  // A store has one active run, and one run for each slot.
  `UPDATE sync_run SET state = 'failed', error = 'its store got another key in the configuration', finished_at = now()
   WHERE store = $1 AND state IN ('queued', 'running')
     AND EXISTS (SELECT 1 FROM sync_run AS other WHERE other.store = $2 AND other.state IN ('queued', 'running'))`,
  `UPDATE sync_run AS run SET slot = NULL WHERE store = $1
     AND EXISTS (SELECT 1 FROM sync_run AS other WHERE other.store = $2 AND other.slot = run.slot)`,
  'UPDATE sync_run SET store = $2 WHERE store = $1',
  // Each key knows only a part of what was read: without a watermark the next run reads everything.
  `UPDATE store_state SET watermark = NULL, last_full_at = NULL WHERE store = $1
     AND EXISTS (SELECT 1 FROM store_state AS other WHERE other.store = $2)`,
  'DELETE FROM store_state WHERE store = $2 AND EXISTS (SELECT 1 FROM store_state AS old WHERE old.store = $1)',
  'UPDATE store_state SET store = $2 WHERE store = $1',
  `UPDATE report SET state = 'failed', error = 'its store got another key in the configuration', finished_at = now()
   WHERE store = $1 AND state = 'running'
     AND EXISTS (SELECT 1 FROM report AS other WHERE other.store = $2 AND other.kind = report.kind AND other.state = 'running')`,
  'UPDATE report SET store = $2 WHERE store = $1',
  // The filter of a bulk change names the store. With the old key it would select nothing.
  `UPDATE bulk_change SET filter = jsonb_set(filter, '{store}', to_jsonb($2::text)) WHERE filter->>'store' = $1`,
  // Conditions are noticed again under the new key.
  `UPDATE notification SET subject = $2 WHERE subject = $1 AND ended_at IS NOT NULL
     AND ${IS_OF_STORE}`,
  `DELETE FROM notification WHERE subject = $1 AND subject <> $2 AND ended_at IS NULL
     AND ${IS_OF_STORE}`,
];
