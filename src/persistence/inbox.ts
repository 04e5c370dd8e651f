import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { CodedError } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { boundedClient } from './bounded-client.js';
import { CONNECTION_BUDGET } from '../runtime/connection-budget.js';
import { DATABASE_SETTINGS, type DatabaseSettings } from './database-settings.js';
import { insertDeliveries, insertValues, type NewDelivery } from './delivery.repository.js';

/** The sender gives up after 10 s and takes nothing but a 5xx for "later": the answer is given well before. */
const GIVE_UP_MS = 3000;
/** The server ends a statement after this time, which leaves it time to answer within `GIVE_UP_MS`. */
const STATEMENT_MS = 2500;
/** Statements under way at once; what comes meanwhile goes together with the next. */
const STATEMENTS_AT_ONCE = 2;
/**
 * Each number of rows is a statement of its own, which the database has to parse once on each connection. That takes some milliseconds for
 * a large one, at a moment when deliveries pile up: so there are few.
 */
const ROWS_AT_ONCE = [64, 32, 16, 8, 4, 2, 1] as const;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

export interface StoreEvent {
  readonly store: string;
  readonly eventId: string;
  /** Of the body as it was signed. */
  readonly bodySha256: Buffer;
  readonly topic: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
}

interface Waiting {
  readonly delivery: NewDelivery;
  readonly resolve: (id: string | null) => void;
  readonly reject: (error: unknown) => void;
  /** By `performance.now()`: then its sender received 503. */
  readonly until: number;
}

interface InsertedRow {
  readonly id: string;
  readonly workspace: string;
  readonly dedupe_key: string;
}

/**
 * The inbox's front door: one insert on connections of its own, bounded in time from end to end (docs/decisions/0008-a-4xx-is-final.md).
 * Deliveries that come while others are being inserted share the next statement, and its one commit.
 * Throws `transient` within three seconds when the database does not take the row.
 */
@Injectable()
export class Inbox implements OnApplicationShutdown {
  readonly #pool: pg.Pool;
  readonly #waiting: Waiting[] = [];
  readonly #statements = new Map<number, string>();
  #underWay = 0;
  /** True while `#next` is going to be called. */
  #isDue = false;

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
    return inTime(
      new Promise((resolve, reject) => {
        this.#waiting.push({ delivery, resolve, reject, until: performance.now() + GIVE_UP_MS });
        this.#insertSoon();
      }),
    );
  }

  /** The row's id, or null when an event with that id or that body was stored before. */
  async storeEvent(event: StoreEvent): Promise<string | null> {
    const { rows } = await inTime(
      this.#pool.query<{ id: string }>(
        // SQL: one insert on connections of its own, whose conflict clause is the dedupe rule.
        `INSERT INTO store_event (store, event_id, body_sha256, topic, headers, raw_body)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
        [
          event.store,
          event.eventId,
          event.bodySha256,
          event.topic,
          JSON.stringify(event.headers),
          event.rawBody,
        ],
      ),
    );
    return rows[0]?.id ?? null;
  }

  /** Once all that has arrived by now is read, so that a busy process needs fewer statements for it. */
  #insertSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#next();
    });
  }

  #next(): void {
    // Drop requests that already received 503: during an outage they would pile up.
    while ((this.#waiting[0]?.until ?? Infinity) <= performance.now()) this.#waiting.shift();
    while (this.#underWay < STATEMENTS_AT_ONCE && this.#waiting.length > 0) {
      this.#underWay += 1;
      void this.#insert(this.#take()).finally(() => {
        this.#underWay -= 1;
        this.#insertSoon();
      });
    }
  }

  /** The first ones, as many as a statement has rows. */
  #take(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { delivery } of this.#waiting) {
      bytes += delivery.rawBody.length;
      if (count > 0 && (count === ROWS_AT_ONCE[0] || bytes > BYTES_AT_ONCE)) break;
      count += 1;
    }
    const taken = ROWS_AT_ONCE.find((rows) => rows <= count) ?? 0;
    return this.#waiting.splice(0, taken);
  }

  /** Resolves each delivery of the batch; never rejects. */
  async #insert(batch: readonly Waiting[]): Promise<void> {
    try {
      const { rows } = await this.#pool.query<InsertedRow>(this.#statement(batch));
      const ids = new Map(rows.map((row) => [`${row.workspace}\0${row.dedupe_key}`, row.id]));
      for (const { delivery, resolve } of batch) {
        const key = `${delivery.workspace}\0${delivery.dedupeKey}`;
        resolve(ids.get(key) ?? null);
        // The same delivery occurs twice in the batch: the first one stored it.
        ids.delete(key);
      }
    } catch (error) {
      if (batch.length > 1 && isOneRowsFault(error)) {
        // One row that the database does not take must not cost the others theirs.
        for (const each of batch) await this.#insert([each]);
        return;
      }
      for (const { reject } of batch) reject(error);
    }
  }

  /** Named, so that each connection parses it once for each size of a batch. */
  #statement(batch: readonly Waiting[]): pg.QueryConfig {
    const rows = batch.length;
    const text = this.#statements.get(rows) ?? insertDeliveries(rows);
    this.#statements.set(rows, text);
    const values = batch.flatMap(({ delivery }) => insertValues(delivery));
    return { name: `inbox ${rows}`, text, values };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#pool.end();
  }
}

/** Class 22 is "data exception": the statement was understood, and a value refused. */
function isOneRowsFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('22') === true;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await within(GIVE_UP_MS, work, timedOut('the database did not answer in time'));
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError('transient', 'the database did not take the delivery', { cause: error });
  }
}
