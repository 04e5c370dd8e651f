import pg from 'pg';
import { TABLES } from './tables.js';
import type { SandboxLogger } from './logger.js';

/** Runs queries: the pool, or the connection of a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const TRANSACTION_ATTEMPTS = 5;

/**
 * A pool whose connections see the sandbox's own schema and nothing else.
 *
 * SQL: the sandbox has no object mapper anywhere, because it shares no code with the product.
 */
export class SandboxDatabase implements Queryable {
  private constructor(
    private readonly pool: pg.Pool,
    readonly schema: string,
  ) {}

  /** Connects, and makes the schema with its tables where it is missing. */
  static async open(databaseUrl: string, schema: string, logger: SandboxLogger): Promise<SandboxDatabase> {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      throw new Error(`The schema name ${JSON.stringify(schema)} is not a plain lower-case identifier`);
    }
    const pool = new pg.Pool({
      connectionString: databaseUrl,
      options: `-c search_path=${schema}`,
      max: 10,
      connectionTimeoutMillis: 5_000,
      application_name: 'catalog-sandbox',
    });
    // An idle connection that breaks is replaced by the pool; without a listener the event would end the process.
    pool.on('error', (error) => logger.error('An idle database connection broke', error));
    const database = new SandboxDatabase(pool, schema);
    try {
      await database.prepare();
    } catch (error) {
      await pool.end();
      throw error;
    }
    return database;
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<Row>> {
    return this.pool.query<Row>(text, values);
  }

  /** Runs `work` in one transaction; again from its start when PostgreSQL broke it off because of another one. */
  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(work);
      } catch (error) {
        const code = databaseErrorCode(error);
        if ((code !== DEADLOCK && code !== SERIALIZATION_FAILURE) || attempt === TRANSACTION_ATTEMPTS)
          throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async once<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        // The connection is gone, and the transaction with it; the first error is the one to report.
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async prepare(): Promise<void> {
    await this.transaction(async (tx) => {
      // Two sandboxes that start at once on one database: the second waits and finds nothing left to do.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `catalog-sandbox:${this.schema}`,
      ]);
      await tx.query(`CREATE SCHEMA IF NOT EXISTS ${this.schema}`);
      const { rowCount } = await tx.query('SELECT 1 FROM pg_tables WHERE schemaname = $1', [this.schema]);
      if (rowCount === 0) await tx.query(TABLES);
    });
  }
}

export function databaseErrorCode(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Name of the violated unique constraint, or undefined when the error is another one. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined;
}
