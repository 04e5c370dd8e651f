import pg from 'pg';
import { stopServer } from '../../../src/embedded-postgres/server.js';
import {
  createMigratedDatabase,
  createTestDatabase,
  startTestCluster,
  type TestCluster,
} from '../postgres.js';
import { until } from '../until.js';

/**
 * `given`: a database with every migration applied, in the run's shared cluster. `empty`: one there without tables. `collation`: like
 * `empty`, with texts in the order of that language. `cluster`: a server of the world's own, which a test may stop, in a directory of
 * that name within the run's. `url`: a database that the test made.
 */
export type DatabaseChoice =
  | 'given'
  | 'empty'
  | { readonly url: string }
  | { readonly collation: string }
  | { readonly cluster: string };

/** The program's database, as a test looks into it and disturbs it. */
export class WorldDatabase {
  #pool: pg.Pool | undefined;

  private constructor(
    readonly url: string,
    readonly cluster: TestCluster | null = null,
  ) {}

  static async open(choice: DatabaseChoice): Promise<WorldDatabase> {
    if (choice === 'given') return new WorldDatabase((await createMigratedDatabase()).url);
    if (choice === 'empty' || 'collation' in choice) {
      const { url } = await createTestDatabase(choice === 'empty' ? undefined : choice.collation);
      return new WorldDatabase(url);
    }
    if ('url' in choice) return new WorldDatabase(choice.url);
    const cluster = await startTestCluster(choice.cluster);
    const database = new WorldDatabase(cluster.url, cluster);
    // Test servers commit asynchronously for speed; one that is to crash must keep what it acknowledged.
    await database.rows('ALTER DATABASE postgres SET synchronous_commit = on');
    return database;
  }

  pool(): pg.Pool {
    if (this.#pool === undefined) {
      this.#pool = new pg.Pool({ connectionString: this.url, max: 4 });
      // A server that a test stops takes idle connections with it.
      this.#pool.on('error', () => undefined);
    }
    return this.#pool;
  }

  async rows<T extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.pool().query<T>(sql, [...values])).rows;
  }

  /** Every row of every table, without these columns, as text to compare. Empty before the first migration. */
  async dump(withoutColumns: readonly string[] = []): Promise<string> {
    const tables = await this.rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema' ORDER BY 1`,
    );
    const dumps: string[] = [];
    for (const { name } of tables) {
      const rows = await this.rows<{ row: string }>(
        `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${name} AS t ORDER BY 1`,
        [withoutColumns],
      );
      dumps.push(`${name}\n${rows.map(({ row }) => row).join('\n')}`);
    }
    return dumps.join('\n\n');
  }

  /** Waits until no task, delivery or write-back is open. */
  async settled(withinMs?: number): Promise<void> {
    const open = `SELECT 1 FROM generation_task WHERE state = 'requested'
      UNION ALL SELECT 1 FROM webhook_delivery WHERE state = 'received'
      UNION ALL SELECT 1 FROM write_back WHERE state = 'ready' LIMIT 1`;
    const none = async (): Promise<boolean> => (await this.rows(open)).length === 0;
    await until('the end of tasks, deliveries and write-backs', none, withinMs);
  }

  /** Waits until no run is open. */
  async runsEnded(withinMs?: number): Promise<void> {
    const open = `SELECT 1 FROM sync_run WHERE state IN ('queued', 'running') LIMIT 1`;
    await until('the end of runs', async () => (await this.rows(open)).length === 0, withinMs);
  }

  /** Lets every lease expire, as if time had passed for leases alone: their holders count as dead. */
  async expireLeases(): Promise<void> {
    const past = `now() - interval '1 second'`;
    // So long ago that the pause after the death of a worker is over.
    const longPast = `now() - interval '1 hour'`;
    await this.rows(`UPDATE webhook_delivery SET lease_until = ${past} WHERE lease IS NOT NULL`);
    await this.rows(`UPDATE store_product SET write_lease_until = ${past} WHERE write_lease IS NOT NULL`);
    await this.rows(`UPDATE sync_run SET lease_until = ${longPast} WHERE state = 'running'`);
    await this.rows(`UPDATE catalog_listing SET lease_until = ${past} WHERE lease IS NOT NULL`);
  }

  async close(): Promise<void> {
    await this.#pool?.end();
    if (this.cluster !== null) await stopServer(this.cluster.place, 'immediate', 10_000);
  }
}
