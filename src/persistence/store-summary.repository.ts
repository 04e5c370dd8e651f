import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OWED_CODES } from '../domain/owed.js';
import { Database } from './database.js';
import { StoreStateEntity, SyncRunEntity } from './entities/index.js';
import { counted } from './row-reader.js';

const productRow = z.object({ store: z.string(), state: z.string(), count: counted, withContent: counted });
const stateRow = z.object({ store: z.string(), state: z.string(), count: counted });
const owedRow = z.object({ store: z.string(), code: z.enum(OWED_CODES), count: counted, since: z.date() });
const countOf = z.object({ store: z.string(), count: counted });
export type ProductCounts = z.infer<typeof productRow>;
export type StateCounts = z.infer<typeof stateRow>;

/**
 * The counts and newest rows of any number of stores at once. Each question is one statement, whatever the number of stores.
 * Reads only.
 */
@Injectable()
export class StoreSummaryRepository {
  constructor(private readonly db: Database) {}

  async states(stores: readonly string[]): Promise<StoreStateEntity[]> {
    return this.db.entities(
      StoreStateEntity,
      // SQL: one value for all keys. A thousand parameters cost the mapper more than the query.
      'SELECT * FROM store_state WHERE store = ANY($1)',
      [stores],
    );
  }

  /** Products by state, and how many of them have generated content. */
  async products(stores: readonly string[]): Promise<ProductCounts[]> {
    return this.db.read(
      productRow,
      // SQL: two counts from one index.
      `SELECT store, state, count(*), count(newest_result_at) AS with_content FROM store_product
       WHERE store = ANY($1) GROUP BY store, state`,
      [stores],
    );
  }

  async tasks(stores: readonly string[]): Promise<StateCounts[]> {
    return this.#byState('generation_task', stores);
  }

  async writeBacks(stores: readonly string[]): Promise<StateCounts[]> {
    return this.#byState('write_back', stores);
  }

  async #byState(table: 'generation_task' | 'write_back', stores: readonly string[]): Promise<StateCounts[]> {
    return this.db.read(
      stateRow,
      // SQL: the counts of all stores and states from one index.
      `SELECT store, state, count(*) FROM ${table} WHERE store = ANY($1) GROUP BY store, state`,
      [stores],
    );
  }

  /** The newest runs of each store, newest first. */
  async runs(stores: readonly string[], each: number): Promise<SyncRunEntity[]> {
    return this.db.entities(
      SyncRunEntity,
      // SQL: a bounded look at the index for each store.
      `SELECT run.* FROM unnest($1::text[]) AS wanted(key) CROSS JOIN LATERAL (SELECT * FROM sync_run
         WHERE sync_run.store = wanted.key AND state NOT IN ('planning', 'planned', 'not_planned')
         ORDER BY created_at DESC LIMIT $2) AS run`,
      [stores, each],
    );
  }

  async owed(stores: readonly string[]): Promise<z.infer<typeof owedRow>[]> {
    return this.db.read(
      owedRow,
      // SQL: the counts and the oldest time of all codes in one pass.
      `SELECT store, code, count(*), min(since) AS since FROM owed_product WHERE store = ANY($1) GROUP BY store, code`,
      [stores],
    );
  }

  /** Products whose newest generation failed or was given up. */
  async withoutResult(stores: readonly string[]): Promise<z.infer<typeof countOf>[]> {
    return this.db.read(
      countOf,
      // SQL: the newest task of each product.
      `SELECT store, count(*) FROM generation_task AS task WHERE store = ANY($1) AND state IN ('failed', 'abandoned')
         AND NOT EXISTS (SELECT 1 FROM generation_task AS newer
           WHERE newer.external_id = task.external_id AND newer.requested_at > task.requested_at)
       GROUP BY store`,
      [stores],
    );
  }
}
