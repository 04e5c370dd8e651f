import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { z } from 'zod';
import { HELD_BY } from '../domain/write-cap.js';
import { Database } from './database.js';
import { StoreStateEntity, SyncRunEntity } from './entities/index.js';
import { counted, rowOf } from './rows.js';
import { hasNewerTask, isOfGone, isRun } from './newest-rows.js';

const runRow = rowOf(SyncRunEntity);

const storeColumn = z.object({ store: z.string() });
const stateRow = storeColumn.extend({ state: z.string(), count: counted });
/** `live`: products whose shop has a text of ours. */
const productRow = stateRow.extend({ withContent: counted, live: counted });
export type ProductCounts = z.infer<typeof productRow>;
const dayRow = storeColumn.extend({ day: z.string(), products: counted, withContent: counted });
/** A store's products on a day (`2026-11-22`, UTC), and those of them that had generated content. */
export type StoreDay = Readonly<z.infer<typeof dayRow>>;
const withoutRow = z.object({ failed: counted, noSources: counted });
/** Products whose newest generation failed or was given up, and those for which nothing to read was found. */
export type WithoutResult = Readonly<z.infer<typeof withoutRow>>;
const heldRow = storeColumn.extend({ why: z.enum(HELD_BY), count: counted });
export type HeldWriteBacks = Readonly<z.infer<typeof heldRow>>;
const gateRow = storeColumn.extend({ gate: z.string(), count: counted });
const sumRow = storeColumn.extend({ count: counted });
const unsuccessfulRow = storeColumn.extend({
  externalId: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
});
export type UnsuccessfulTask = Readonly<z.infer<typeof unsuccessfulRow>>;

/** Rows by state. */
export type Counts = Readonly<Record<string, number>>;

/** A table whose rows have a store and a state. */
export type StatefulTable = 'store_product' | 'generation_task' | 'write_back';

/** Reads for the status of any number of stores and for the overview of them. Each question is one statement for all stores, however many there are. */
@Injectable()
export class StatusRepository {
  constructor(private readonly db: Database) {}

  async states(stores: readonly string[]): Promise<ReadonlyMap<string, StoreStateEntity>> {
    const rows = await this.db.repository(StoreStateEntity).findBy({ store: In([...stores]) });
    return new Map(rows.map((row) => [row.store, row]));
  }

  /** How many rows of each store are in each state; a state without rows is absent. */
  async countByState(table: StatefulTable, stores: readonly string[]): Promise<ReadonlyMap<string, Counts>> {
    const rows = await this.db.read(
      stateRow,
      // SQL: one pass over the table for all stores.
      `SELECT store, state, count(*) FROM ${table} WHERE store = ANY($1) GROUP BY store, state`,
      [stores],
    );
    return recordsByStore(rows, ({ state }) => state);
  }

  /** Products by state, and how many of them have generated content, or such content in the shop. */
  async products(stores: readonly string[]): Promise<ProductCounts[]> {
    return this.db.read(
      productRow,
      // SQL: three counts in one pass.
      `SELECT product.store, product.state, count(*), count(newest_result_at) AS with_content, count(live.external_id) AS live
       FROM store_product AS product LEFT JOIN (SELECT DISTINCT external_id FROM write_back
         WHERE store = ANY($1) AND state = 'applied') AS live USING (external_id)
       WHERE product.store = ANY($1) GROUP BY product.store, product.state`,
      [stores],
    );
  }

  /** The days from `since` (`2026-11-22`) to today on which a store had products, oldest first. */
  async days(stores: readonly string[], since: string): Promise<StoreDay[]> {
    return this.db.read(
      dayRow,
      // SQL: one pass over the products. Those that came, left and got content on the same days are one row of it.
      `WITH product AS MATERIALIZED (
         SELECT store, greatest($2::date, ${utcDay('first_seen_at')}) AS first, ${utcDay('orphaned_at')} AS left_on,
           greatest($2::date, ${utcDay('first_result_at')}) AS content, count(*) AS count, count(first_result_at) AS filled
         FROM store_product WHERE store = ANY($1) AND coalesce(${utcDay('orphaned_at')} > $2::date, true) GROUP BY 1, 2, 3, 4)
       SELECT store, to_char(day, 'YYYY-MM-DD') AS day, sum(count) AS products,
         coalesce(sum(filled) FILTER (WHERE content <= day), 0) AS with_content
       FROM product JOIN generate_series($2::date, ${utcDay('now()')}, '1 day') AS day
         ON first <= day AND (left_on IS NULL OR left_on > day)
       GROUP BY store, day ORDER BY store, day`,
      [stores, since],
    );
  }

  /** The newest runs of each store, newest first. */
  async latestRuns(
    stores: readonly string[],
    count: number,
  ): Promise<ReadonlyMap<string, readonly SyncRunEntity[]>> {
    const rows = await this.db.read(
      runRow,
      // SQL: `LATERAL` takes a few rows of each store by their index.
      `SELECT run.* FROM unnest($1::text[]) AS wanted(store), LATERAL (SELECT * FROM sync_run
         WHERE sync_run.store = wanted.store AND ${isRun('sync_run')}
         ORDER BY created_at DESC LIMIT $2) AS run`,
      [stores, count],
    );
    return Map.groupBy(rows, (row) => row.store);
  }

  /** Write-backs that wait for a limit on writes, or for a person because of a gate. Without a row: none. */
  async held(stores: readonly string[]): Promise<HeldWriteBacks[]> {
    return this.db.read(
      heldRow,
      // SQL: one aggregate over two partial indexes.
      `SELECT store, capped_by AS why, count(*) FROM write_back
         WHERE capped_by IS NOT NULL AND state = 'ready' AND store = ANY($1) GROUP BY store, capped_by
       UNION ALL
       SELECT store, 'gate', count(*) FROM write_back
         WHERE state = 'pending_review' AND gate_findings <> '[]' AND store = ANY($1) GROUP BY store`,
      [stores],
    );
  }

  /** Write-backs that each gate holds back for a person. */
  async gated(stores: readonly string[]): Promise<ReadonlyMap<string, Counts>> {
    const rows = await this.db.read(
      gateRow,
      // SQL: the gates are inside the JSON of the findings.
      `SELECT store, finding->>'gate' AS gate, count(DISTINCT id)
       FROM write_back, jsonb_array_elements(gate_findings) AS finding
       WHERE store = ANY($1) AND state = 'pending_review' GROUP BY 1, 2 ORDER BY 1, 2`,
      [stores],
    );
    return recordsByStore(rows, ({ gate }) => gate);
  }

  /** Parts of results since that moment that no setting maps. */
  async unmapped(stores: readonly string[], since: Date): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db.read(
      sumRow,
      // SQL: a sum that reads the partial index alone.
      `SELECT store, sum(unmapped_count)::integer AS count FROM write_back
       WHERE store = ANY($1) AND created_at >= $2 AND unmapped_count > 0 GROUP BY store`,
      [stores, since],
    );
    return new Map(rows.map(({ store, count }) => [store, count]));
  }

  async withoutResult(stores: readonly string[]): Promise<WithoutResult> {
    return this.db.one(
      withoutRow,
      // SQL: the newest task of each product.
      `SELECT count(*) FILTER (WHERE state <> 'no_urls') AS failed, count(*) FILTER (WHERE state = 'no_urls') AS no_sources
       FROM generation_task AS task WHERE store = ANY($1) AND state IN ('failed', 'abandoned', 'no_urls')
         AND NOT ${hasNewerTask('task')} AND NOT ${isOfGone('task')}`,
      [stores],
    );
  }

  /** Products whose newest generation returned nothing, at most `limit` of each store. */
  async unsuccessful(
    stores: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly UnsuccessfulTask[]>> {
    const rows = await this.db.read(
      unsuccessfulRow,
      // SQL: `DISTINCT ON` picks the newest task of each product, and the window numbers those of a store.
      `SELECT store, external_id, state, reason FROM (
         SELECT *, row_number() OVER (PARTITION BY store ORDER BY external_id) AS place FROM (
           SELECT DISTINCT ON (external_id) store, external_id, state, reason FROM generation_task WHERE store = ANY($1)
             AND state IN ('failed', 'no_urls', 'abandoned') AND NOT ${hasNewerTask('generation_task')} AND NOT ${isOfGone('generation_task')}
           ORDER BY external_id, requested_at DESC) AS newest) AS placed
       WHERE place <= $2 ORDER BY store, external_id`,
      [stores, limit],
    );
    return Map.groupBy(rows, (row) => row.store);
  }
}

function utcDay(moment: string): string {
  return `(${moment} AT TIME ZONE 'UTC')::date`;
}

function recordsByStore<Row extends { readonly store: string; readonly count: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): ReadonlyMap<string, Record<string, number>> {
  const byStore = Map.groupBy(rows, (row) => row.store);
  return new Map(
    [...byStore].map(([store, of]) => [store, Object.fromEntries(of.map((row) => [keyOf(row), row.count]))]),
  );
}
