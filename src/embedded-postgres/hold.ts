import { realpath } from 'node:fs/promises';
import pg from 'pg';
import { CodedError } from '../domain/errors.js';
import { APPLICATION_DATABASE, APPLICATION_ROLE, applicationPassword, SUPERUSER } from './cluster.js';
import { LOOPBACK } from './server.js';

/**
 * The advisory lock for users of this server. Every user holds it shared. A user that holds it exclusively may stop the server. Locks
 * end with their connection, so a killed user leaves none.
 */
const USERS_LOCK = 7_305_411_001;
/** One process at a time prepares the database. */
const PREPARE_LOCK = 7_305_411_002;

const CONNECT_TIMEOUT_MS = 2_000;
/** Creating a database takes longest: a second on a slow disk. */
const QUERY_TIMEOUT_MS = 10_000;
/** cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections, object_in_use */
const BUSY = new Set(['57P03', '57P01', '57P02', '53300', '55006']);

export interface HoldOptions {
  readonly port: number;
  readonly password: string;
  /** The real path of the cluster. A server of other files on that port is not ours, whatever password it accepts. */
  readonly clusterDir: string;
}

/** A connection that prevents other users from stopping the server. */
export class Hold {
  /** Resolves when the connection ends, because the server disappeared. */
  readonly lost: Promise<void>;

  private constructor(
    private readonly client: pg.Client,
    readonly url: string,
  ) {
    this.lost = new Promise((resolve) => client.once('end', () => resolve()));
  }

  /**
   * Connects, takes the lock, and makes the application's role and database when they are missing. `busy`: the server starts, recovers
   * or stops, or its last user is about to stop it. `silent`: it does not answer. Throws `misconfigured` only, for a server of ours
   * that refuses its own user.
   */
  static async take({ port, password, clusterDir }: HoldOptions): Promise<Hold | 'busy' | 'silent'> {
    if (port === 0) return 'silent';
    const client = new pg.Client({
      host: LOOPBACK,
      port,
      user: SUPERUSER,
      password,
      database: 'postgres',
      application_name: 'store-sync hold',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      ssl: false,
    });
    client.on('error', () => undefined); // `lost` reports it
    try {
      await client.connect();
      const shown = await client.query<{ data_directory: string }>('SHOW data_directory');
      const served = await realpath(shown.rows[0]?.data_directory ?? '').catch(() => ''); // the files are on another machine
      // SQL: the lock of the session counts the users of the server.
      const lock = `SELECT pg_try_advisory_lock_shared(${USERS_LOCK}) AS taken`;
      if (served === clusterDir && (await isTrue(client, lock))) {
        const application = applicationPassword(password);
        await prepareApplication(client, application);
        const url = `postgres://${APPLICATION_ROLE}:${application}@${LOOPBACK}:${port}/${APPLICATION_DATABASE}`;
        return new Hold(client, url);
      }
      await client.end();
      return served === clusterDir ? 'busy' : 'silent';
    } catch (error) {
      void client.end().catch(() => undefined); // the connection failed anyway
      return outcomeOf(error);
    }
  }

  /** Releases the lock. True: this was the last user, and holds the server until it has stopped it. Call `close` afterwards. */
  async leave(): Promise<boolean> {
    // SQL: the lock of the session proves that no other user is left.
    const unlock = `SELECT pg_advisory_unlock_shared(${USERS_LOCK}), pg_try_advisory_lock(${USERS_LOCK}) AS taken`;
    return await isTrue(this.client, unlock).catch(() => false); // the connection is gone, and so is the lock
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined); // stopping the server has already ended it
  }
}

async function isTrue(client: pg.Client, statement: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(statement);
  return rows[0]?.taken === true;
}

/** SQL: roles and databases have no entity. */
async function prepareApplication(client: pg.Client, password: string): Promise<void> {
  await client.query(`SELECT pg_advisory_lock(${PREPARE_LOCK})`);
  const role = await client.query(`SELECT 1 FROM pg_roles WHERE rolname = '${APPLICATION_ROLE}'`);
  if (role.rowCount === 0)
    await client.query(
      `CREATE ROLE ${APPLICATION_ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '${password}'`,
    );
  const database = await client.query(`SELECT 1 FROM pg_database WHERE datname = '${APPLICATION_DATABASE}'`);
  if (database.rowCount === 0)
    await client.query(`CREATE DATABASE ${APPLICATION_DATABASE} OWNER ${APPLICATION_ROLE}`);
  await client.query(`SELECT pg_advisory_unlock(${PREPARE_LOCK})`);
}

function outcomeOf(error: unknown): 'busy' | 'silent' {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (BUSY.has(code)) return 'busy';
  // Another server may have the port, or the driver's time-out, which has no code, has passed.
  if (!/^[0-9A-Z]{5}$/.test(code) || code === '28P01' || code === 'EPIPE') return 'silent';
  throw new CodedError('misconfigured', `the embedded PostgreSQL refuses its own user (${code})`, {
    cause: error,
  });
}
