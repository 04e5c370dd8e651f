import pg from 'pg';
import { MIGRATIONS } from './migrations.js';
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
 * SQL: the sandbox has no object mapper, because it shares no code with the product.
 */
export class SandboxDatabase implements Queryable {
  private constructor(
    private readonly pool: pg.Pool,
    readonly schema: string,
  ) {}

  /** Connects, makes the schema where it is missing, and applies the migrations that it lacks. */
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
      await database.migrate();
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

  private async migrate(): Promise<void> {
    await this.transaction(async (tx) => {
      // Two sandboxes that start at once on one database: the second waits and finds nothing left to do.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `catalog-sandbox:${this.schema}`,
      ]);
      await tx.query(`CREATE SCHEMA IF NOT EXISTS ${this.schema}`);
      await tx.query('CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY)');
      const { rows } = await tx.query<{ version: number | null }>(
        'SELECT max(version) AS version FROM migration',
      );
      const applied = rows[0]?.version ?? 0;
      for (const [index, sql] of MIGRATIONS.entries()) {
        if (index < applied) continue;
        await tx.query(sql);
        await tx.query('INSERT INTO migration (version) VALUES ($1)', [index + 1]);
      }
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
