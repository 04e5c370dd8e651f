import pg from 'pg';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { repeatFor } from '../runtime/time-limit.js';
import { boundedClient } from './bounded-client.js';
import { ENTITIES } from './entities/index.js';
import { guardConnections } from './guarded-query-runner.js';
import { MIGRATIONS } from './migrations/index.js';
import { SnakeNaming } from './snake-naming.js';
import { reasonOf } from './statement-error.js';

export interface DataSourceSettings {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** How long a statement may go unanswered; 0: without end, for migrations. The default is two minutes. */
  readonly silenceMs?: number;
  /** How long a transaction may be open without a statement. */
  readonly idleInTransactionMs?: number;
}

/** No statement of the program takes as long. A connection that was cut without a word would keep its rows leased. */
const SILENCE_MS = 120_000;

/** A connected data source. Throws `transient` when the database cannot be reached, without its URL or password. */
export async function openDataSource(settings: DataSourceSettings): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    driver: pg,
    url: settings.url,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    namingStrategy: new SnakeNaming(),
    synchronize: false,
    // The server makes ids by itself: no extension is needed, and none is installed behind the operator's back.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize: settings.poolSize,
    applicationName: 'store-sync',
    connectTimeoutMS: 3000,
    extra: {
      Client: boundedClient(settings.silenceMs ?? SILENCE_MS, settings.idleInTransactionMs),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  });
  guardConnections(source);
  try {
    return await source.initialize();
  } catch (error) {
    throw new CodedError(
      'transient',
      `database at ${placeOf(settings.url)} cannot be reached: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Host, port and database of a connection URL: what may be shown of it. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null
    ? 'the configured address'
    : `${parsed.hostname}:${parsed.port || '5432'}${parsed.pathname}`;
}

/** Any number, the same for every process: replicas that start together migrate one after the other. */
const MIGRATION_LOCK = 7_236_401;

/** Applies pending migrations; several processes may ask at once. Returns the names of those applied here. */
export async function migrate(source: DataSource): Promise<string[]> {
  const runner = source.createQueryRunner();
  try {
    // SQL: the lock of the session makes replicas migrate one after the other.
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const applied = await source.runMigrations();
      return applied.map((migration) => migration.name);
    } finally {
      // SQL: the lock of the session makes replicas migrate one after the other.
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    }
  } finally {
    await runner.release();
  }
}

/** Applies pending migrations on connections of their own, because a migration of a large table may take long. */
export async function migrateAt(url: string): Promise<string[]> {
  const source = await openDataSource({ url, poolSize: 3, silenceMs: 0 });
  try {
    return await migrate(source);
  } finally {
    await source.destroy();
  }
}

/** How many migrations have not been applied yet; changes nothing. */
export async function pendingMigrations(source: DataSource): Promise<number> {
  // SQL: before the first migration there is no table of migrations to read.
  const tables: unknown = await source.query(`SELECT to_regclass('migrations') AS found`);
  const [table] = z.tuple([z.object({ found: z.string().nullable() })]).parse(tables);
  if (table.found === null) return MIGRATIONS.length;
  // SQL: the table of migrations is TypeORM’s own and has no entity.
  const counts: unknown = await source.query('SELECT count(*) AS done FROM migrations');
  const [{ done }] = z.tuple([z.object({ done: z.coerce.number() })]).parse(counts);
  return Math.max(0, MIGRATIONS.length - done);
}

/**
 * Resolves once the database answers. Nothing that keeps a connection may be constructed before: a queue that is built while
 * its database is down never recovers. Throws the last error after `forMs`.
 */
export async function waitForDatabase(url: string, forMs: number): Promise<void> {
  const source = await repeatFor(forMs, () => openDataSource({ url, poolSize: 1 }));
  await source.destroy();
}
