import { Injectable } from '@nestjs/common';
import type { OwedProduct } from '../domain/owed.js';
import { Database, json } from './database.js';
import { StoreEventEntity } from './entities/store-event.entity.js';
import { NOTE_OWED } from './owed.repository.js';
import { isUninstalled } from './uninstalled-store.js';

/**
 * Runs that the events of a store start in an hour at most: one in five seconds, so that a busy shop does not wait. Events that come then
 * wait for the next of its runs.
 */
export const EVENT_RUNS_AN_HOUR = 720;

/** Events turned into owed products in one transaction. */
const PAGE = 500;

/**
 * Stored store events: each store's open ones amount to one incremental run, however many they are.
 *
 * SQL: replicas share the events by `SKIP LOCKED`.
 */
@Injectable()
export class StoreEventRepository {
  constructor(private readonly db: Database) {}

  /**
   * Stores with events that no run has covered yet, once the newest has settled for a moment. The events of a store that may not be
   * tried wait: each run would fail at once.
   */
  async storesDue(quietMs: number): Promise<string[]> {
    const rows = await this.db.read(
      this.db.reader(StoreEventEntity).only('store'),
      // SQL: `HAVING` compares with the clock of the database.
      `SELECT store FROM store_event WHERE state = 'received'
         AND NOT ${isUninstalled('store_event.store')}
         AND NOT EXISTS (SELECT 1 FROM store_state AS paused WHERE paused.store = store_event.store
           AND paused_until > now() AND paused_scope = 'everything')
         AND (SELECT count(*) FROM sync_run AS run WHERE run.store = store_event.store AND run.trigger = 'event'
           AND run.created_at > now() - interval '1 hour') < $2
       GROUP BY store HAVING max(received_at) < now() - $1 * interval '1 millisecond' OR min(received_at) < now() - interval '1 minute'`,
      [quietMs, EVENT_RUNS_AN_HOUR],
    );
    return rows.map((row) => row.store);
  }

  /**
   * Turns a store's open events into owed products, a page at a time. From then on the owed rows say what has to be read: a run
   * that fails afterwards loses no event. `productOf` names the product of an event; null for an event that names none.
   */
  async take(
    store: string,
    runId: string,
    productOf: (rawBody: Buffer) => OwedProduct | null,
  ): Promise<void> {
    for (let taken = PAGE; taken === PAGE;) {
      taken = await this.db.transaction(async (runner) => {
        const events = await this.db.read(
          this.db.reader(StoreEventEntity).only('rawBody'),
          `UPDATE store_event SET state = 'processed', run_id = $2, settled_at = now()
           WHERE id IN (SELECT id FROM store_event WHERE store = $1 AND state = 'received' LIMIT $3 FOR UPDATE SKIP LOCKED)
           RETURNING raw_body`,
          [store, runId, PAGE],
          runner,
        );
        const products = events
          .map((event) => productOf(event.rawBody))
          .filter((product) => product !== null);
        if (products.length > 0) await this.db.affected(NOTE_OWED, [json(products), store], runner);
        return events.length;
      });
    }
  }
}
