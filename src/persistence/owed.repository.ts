import { Injectable } from '@nestjs/common';
import { MoreThan, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import { OWED_CODES, type OwedCode, type OwedProduct } from '../domain/owed.js';
import { Database, json } from './database.js';
import { isLeftBehind } from './identifier-owners.js';
import { isRun } from './newest-rows.js';
import { counted, rowOf } from './rows.js';
import { OwedProductEntity } from './entities/owed-product.entity.js';
import { isUninstalled } from './uninstalled-store.js';

/**
 * Runs that the events of a store start in an hour at most: one in five seconds, so that a busy shop does not wait. Events that come then
 * wait for the next of its runs.
 */
export const EVENT_RUNS_AN_HOUR = 720;

export interface OwedSummary {
  readonly count: number;
  /** Since when the oldest has been owed; null when nothing is. */
  readonly since: Date | null;
  readonly byCode: Readonly<Partial<Record<OwedCode, number>>>;
}

export const NOTHING_OWED: OwedSummary = { count: 0, since: null, byCode: {} };

const waitingRow = rowOf(OwedProductEntity, ['externalId', 'storeId']);
const summaryRow = z.object({ store: z.string(), code: z.enum(OWED_CODES), count: counted, since: z.date() });

/**
 * SQL: notes the products that the query selects with these columns: external_id, store, store_id, label, code, detail. One that is owed
 * already keeps its `since`, and its label where the query knows none.
 */
export function noteOwed(query: string): string {
  return `INSERT INTO owed_product AS owed (external_id, store, store_id, label, code, detail) ${query}
    ON CONFLICT (external_id) DO UPDATE SET store = excluded.store, store_id = excluded.store_id, code = excluded.code,
      label = CASE WHEN excluded.label = '' THEN owed.label ELSE excluded.label END, detail = excluded.detail, noted_at = now()`;
}

/** SQL: notes the rows of `$1` (jsonb array of `OwedProduct`) for the store `$2`. */
export const NOTE_OWED = noteOwed(
  `SELECT DISTINCT ON (row."externalId") row."externalId", $2::text, row."storeId", row.label, row.code, row.detail
   FROM jsonb_to_recordset($1::jsonb) AS row("externalId" text, "storeId" text, label text, code text, detail text)`,
);

/**
 * Owed products: one row each, with the reason and the time.
 *
 * SQL: each write copies many rows in one statement, and its conflict clause keeps the first time.
 */
@Injectable()
export class OwedRepository {
  constructor(private readonly db: Database) {}

  async note(store: string, products: readonly OwedProduct[], runner?: QueryRunner): Promise<void> {
    if (products.length === 0) return;
    await this.db.affected(NOTE_OWED, [json(products), store], runner);
  }

  /** The owed products of a store, by external_id, after the given one. */
  async page(store: string, after: string, limit: number): Promise<OwedProductEntity[]> {
    return this.db.repository(OwedProductEntity).find({
      where: { store, externalId: MoreThan(after) },
      order: { externalId: 'ASC' },
      take: limit,
    });
  }

  /**
   * Products of a store that wait for an identifier which another product of our stores had, and none has any more; in order, after the
   * given one. They need not have changed themselves. One that waits for what the catalog itself shows is left to full runs.
   */
  async waitingForFreed(
    store: string,
    after: string,
    limit: number,
  ): Promise<Pick<OwedProductEntity, 'externalId' | 'storeId'>[]> {
    return this.db.read(
      waitingRow,
      // SQL: joins the withheld identifiers in the JSON of a link with those that are claimed.
      `SELECT external_id, store_id FROM store_product AS waiting
       WHERE store = $1 AND withheld <> '[]' AND state = 'conflicted' AND external_id > $2 AND EXISTS (
         SELECT 1 FROM jsonb_to_recordset(withheld) AS one(kind text, value text, owner text, holder jsonb)
         JOIN product_identifier AS own ON own.store = $1 AND own.product = waiting.external_id AND own.kind = one.kind
           AND own.value = one.value AND own.owner = one.owner
         WHERE one.holder->>'whose' IN ('this_store', 'other_store') AND one.holder->>'catalogId' IS NULL AND NOT EXISTS (
           SELECT 1 FROM product_identifier AS other WHERE other.workspace = own.workspace AND other.kind = own.kind
             AND other.folded = own.folded AND other.owner <> own.owner AND NOT ${isLeftBehind('other')}))
       ORDER BY external_id LIMIT $3`,
      [store, after, limit],
    );
  }

  /** Notes the products of a run's open actions as owed: the run ended before it reached them. */
  async noteOpenActions(runId: string): Promise<void> {
    await this.db.affected(
      noteOwed(
        `SELECT external_id, store, store_id, label, 'not_applied', NULL FROM sync_action WHERE run_id = $1 AND state = 'planned'`,
      ),
      [runId],
    );
  }

  /**
   * Stores whose events named products that no run has begun to read since, once the newest event is older than `quietMs`: a burst is one
   * run's work. Those of a store that may not be tried wait: each run would fail at once. So do those of a store whose newest run
   * could not read its changes and is tried again by itself, for ten minutes at most.
   */
  async storesAnnounced(quietMs: number): Promise<string[]> {
    return this.db.texts(
      // SQL: `HAVING` compares with the clock of the database.
      `SELECT store FROM announced_product AS announced WHERE NOT ${isUninstalled('announced.store')}
         AND NOT EXISTS (SELECT 1 FROM store_state AS paused WHERE paused.store = announced.store
           AND paused_until > now() AND paused_scope = 'everything')
         AND (SELECT run.kind = 'incremental' AND run.state = 'failed' AND run.phase = 'extract' AND run.retry_at > now()
             AND run.finished_at > now() - interval '10 minutes'
           FROM sync_run AS run WHERE run.store = announced.store AND ${isRun('run')} ORDER BY run.created_at DESC LIMIT 1) IS NOT TRUE
         AND (SELECT count(*) FROM sync_run AS run WHERE run.store = announced.store AND run.trigger = 'event'
           AND run.created_at > now() - interval '1 hour') < $2
       GROUP BY store HAVING max(announced_at) < now() - $1 * interval '1 millisecond' OR min(announced_at) < now() - interval '1 minute'`,
      [quietMs, EVENT_RUNS_AN_HOUR],
    );
  }

  /** What each of these stores owes; one that owes nothing is absent. */
  async summaries(stores: readonly string[]): Promise<ReadonlyMap<string, OwedSummary>> {
    const rows = await this.db.read(
      summaryRow,
      // SQL: the counts and the oldest time of all codes and stores in one pass.
      'SELECT store, code, count(*), min(since) AS since FROM owed_product WHERE store = ANY($1) GROUP BY store, code',
      [stores],
    );
    return new Map([...Map.groupBy(rows, ({ store }) => store)].map(([store, of]) => [store, summaryOf(of)]));
  }

  async summary(store: string): Promise<OwedSummary> {
    return (await this.summaries([store])).get(store) ?? NOTHING_OWED;
  }
}

function summaryOf(rows: readonly z.infer<typeof summaryRow>[]): OwedSummary {
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    since: rows.reduce<Date | null>(
      (oldest, row) => (oldest === null || row.since < oldest ? row.since : oldest),
      null,
    ),
    byCode: Object.fromEntries(rows.map((row) => [row.code, row.count])),
  };
}
