import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { CodedError } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { boundedClient } from './bounded-client.js';
import { CONNECTION_BUDGET } from '../runtime/connection-budget.js';
import { DATABASE_SETTINGS, type DatabaseSettings } from './database-settings.js';
import { INSERT_DELIVERY, insertValues, type NewDelivery } from './delivery.repository.js';

/** The sender gives up after 10 s and takes nothing but a 5xx for "later": the answer is given well before. */
const GIVE_UP_MS = 3000;
/** The server ends a statement after this time, which leaves it time to answer within `GIVE_UP_MS`. */
const STATEMENT_MS = 2500;

/** The product that an event of its store names. */
export interface AnnouncedProduct {
  readonly store: string;
  readonly externalId: string;
  readonly storeId: string;
}

/**
 * The inbox's front door: one insert on connections of its own, bounded in time from end to end (docs/decisions/0008-a-4xx-is-final.md).
 * Throws `transient` within three seconds when the database does not take the row.
 */
@Injectable()
export class Inbox implements OnApplicationShutdown {
  readonly #pool: pg.Pool;

  constructor(@Inject(DATABASE_SETTINGS) { url }: Pick<DatabaseSettings, 'url'>, logger: Logger) {
    this.#pool = new pg.Pool({
      Client: boundedClient(STATEMENT_MS),
      connectionString: url,
      max: CONNECTION_BUDGET.inbox,
      connectionTimeoutMillis: 1500,
      statement_timeout: STATEMENT_MS,
      keepAlive: true,
      application_name: 'store-sync inbox',
    });
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', (error) => {
      logger.warn({ err: error.message }, 'a database connection broke');
    });
  }

  /** The row's id, or null when the same delivery was stored before. Returns only after the commit. */
  async store(delivery: NewDelivery): Promise<string | null> {
    // Named, so that each connection parses it once.
    const statement = { name: 'store delivery', text: INSERT_DELIVERY, values: insertValues(delivery) };
    const { rows } = await inTime(this.#pool.query<{ id: string }>(statement));
    return rows[0]?.id ?? null;
  }

  /** The next run that begins to read owes the product. A further event of it only says that again. */
  async announce({ store, externalId, storeId }: AnnouncedProduct): Promise<void> {
    await inTime(
      this.#pool.query(
        // SQL: one insert on connections of its own.
        `INSERT INTO announced_product (external_id, store, store_id) VALUES ($1, $2, $3)
         ON CONFLICT (external_id) DO UPDATE SET store = excluded.store, store_id = excluded.store_id, announced_at = now()`,
        [externalId, store, storeId],
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#pool.end();
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(GIVE_UP_MS, work, timedOut('the database did not answer in time'));
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError('transient', 'the database did not take the delivery', { cause: error });
  }
}
