import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/** Stored store events: each store's open ones amount to one incremental run, however many they are. */
@Injectable()
export class StoreEventRepository {
  constructor(private readonly db: Database) {}

  /** Stores with events that no run has covered yet, once the newest has settled for a moment. */
  async storesDue(quietMs: number): Promise<string[]> {
    const rows = await this.db.rows<{ store: string }>(
      `SELECT store FROM store_event WHERE state = 'received' GROUP BY store
       HAVING max(received_at) < now() - $1 * interval '1 millisecond' OR min(received_at) < now() - interval '1 minute'`,
      [quietMs],
    );
    return rows.map((row) => row.store);
  }

  /** Takes a store's open events into a run; a run that is resumed gets those that it took before as well. */
  async take(store: string, runId: string): Promise<Buffer[]> {
    await this.db.affected(
      `UPDATE store_event SET state = 'processed', run_id = $2, settled_at = now() WHERE store = $1 AND state = 'received'`,
      [store, runId],
    );
    const rows = await this.db.rows<{ rawBody: Buffer }>(
      'SELECT raw_body FROM store_event WHERE run_id = $1',
      [runId],
    );
    return rows.map((row) => row.rawBody);
  }
}
