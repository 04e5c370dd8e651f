import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Database } from './database.js';

const dayRow = z.object({
  store: z.string(),
  day: z.string(),
  products: z.number(),
  withContent: z.number(),
});
/** A store's products on a day (`2026-11-22`, UTC), and those of them that had generated content. */
export type StoreDay = z.infer<typeof dayRow>;

/** Days that are kept: one year and a month, to compare with. */
const KEPT_DAYS = 396;

/**
 * How the coverage of each store developed, day by day.
 *
 * SQL: one statement counts all stores, and its conflict clause keeps the last count of the day.
 */
@Injectable()
export class StoreDayRepository {
  constructor(private readonly db: Database) {}

  /** Counts today for all stores. Any number of replicas may do so. */
  async record(): Promise<void> {
    await this.db.affected(
      `INSERT INTO store_day AS known (store, day, products, with_content)
       SELECT store, (now() AT TIME ZONE 'UTC')::date, count(*), count(newest_result_at)
       FROM store_product WHERE state <> 'orphaned' GROUP BY store ORDER BY store
       ON CONFLICT (store, day) DO UPDATE SET products = excluded.products, with_content = excluded.with_content
         WHERE (known.products, known.with_content) <> (excluded.products, excluded.with_content)`,
    );
    await this.db.affected(
      `DELETE FROM store_day WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer`,
      [KEPT_DAYS],
    );
  }

  /** The recorded days from `since` (`2026-11-22`) on, oldest first. */
  async days(stores: readonly string[], since: string): Promise<StoreDay[]> {
    return this.db.read(
      dayRow,
      // SQL: the driver would read a date in the zone of the process.
      `SELECT store, to_char(day, 'YYYY-MM-DD') AS day, products, with_content FROM store_day
       WHERE store = ANY($1) AND day >= $2::date ORDER BY store, day`,
      [stores, since],
    );
  }
}
