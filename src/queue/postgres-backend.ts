import { createPostgresBackend, runMigrations, setDefaultBackendFactory } from 'bullmq';
import pg from 'pg';
import { CodedError } from '../domain/errors.js';
import { CONNECTION_BUDGET } from '../runtime/connection-budget.js';
import { boundedClient } from '../persistence/bounded-client.js';
import { sparingly } from './sparing-log.js';
import type { OpenOptions, QueueBackend } from './queue-backend.js';
import { repeatFor, timedOut, within } from '../runtime/time-limit.js';

const SCHEMA = 'bullmq';
const PING_TIMEOUT_MS = 3_000;
/** The time limit of a statement without a response, in milliseconds. */
const SILENCE_MS = 30_000;
/** How long connections may take to close. A server that hangs never closes them. */
const CLOSE_WITHIN_MS = 2_000;

/** Queues in PostgreSQL: one pool for all of them, in a separate schema that is migrated at every start. */
export async function openPostgresBackend(databaseUrl: string, options: OpenOptions): Promise<QueueBackend> {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    throw new CodedError('misconfigured', 'the URL of the queue database must begin with postgres://');
  }
  const pool = new pg.Pool({
    Client: boundedClient(SILENCE_MS),
    verify,
    connectionString: databaseUrl,
    application_name: 'store-sync queue',
    // The queue's statements name their tables without a schema.
    options: `-c search_path=${SCHEMA}`,
    max: CONNECTION_BUDGET.queue,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // Every queue and worker adds a listener to the same pool.
  pool.setMaxListeners(100);
  const connections = trackConnections(pool);
  const say = sparingly(options.log);
  pool.on('error', (error) => say('queue database', error));
  try {
    await repeatFor(options.waitMs, () => prepare(pool));
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    kind: 'postgres',
    connection: pool,
    select: () => setDefaultBackendFactory(createPostgresBackend),
    ping: async () => {
      // SQL: the shortest statement that proves an answer.
      const answer = pool.query('SELECT 1').catch(translated);
      await within(PING_TIMEOUT_MS, answer, timedOut('the queue database does not answer'));
    },
    close: async () => {
      await pool.end();
      await within(CLOSE_WITHIN_MS, connections.closed(), () => undefined);
    },
  };
}

/**
 * Hands a new connection out a moment later, unless it broke meanwhile: a server that stops ends connections right after it has taken them.
 * A worker keeps its connection for notifications, and would wait on a dead one for ever.
 */
function verify(client: pg.PoolClient, done: (error?: Error) => void): void {
  let broken: Error | undefined;
  client.on('error', (error) => {
    broken ??= error;
  });
  setImmediate(() => {
    done(broken);
  });
}

/**
 * The pool ends before its connections are closed. An embedded server that stops meanwhile ends them with an error, which every queue
 * and worker would log.
 */
function trackConnections(pool: pg.Pool): { closed: () => Promise<void> } {
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  return {
    closed: () =>
      new Promise((resolve) => {
        const look = (): void => {
          if (open.size === 0) resolve();
        };
        pool.on('remove', look);
        look();
      }),
  };
}

/** Migrates the schema at every start. Otherwise an old schema would only be noticed when a statement fails. */
async function prepare(pool: pg.Pool): Promise<void> {
  const client = await pool.connect().catch(translated);
  try {
    await runMigrations(client, SCHEMA);
  } catch (error) {
    translated(error);
  } finally {
    client.release();
  }
}

/** A person must fix wrong credentials, an unknown database and missing rights. Other errors may be temporary. */
function translated(error: unknown): never {
  const sqlState = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(28...|3D000|42501)$/.test(sqlState)) {
    throw new CodedError('misconfigured', `the queue database refuses us (${sqlState})`, { cause: error });
  }
  throw new CodedError(
    'transient',
    `the queue database cannot be used${sqlState === '' ? '' : ` (${sqlState})`}`,
    {
      cause: error,
    },
  );
}
