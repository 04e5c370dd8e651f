import { realpath } from 'node:fs/promises';
import pg from 'pg';
import { CodedError } from '../domain/errors.js';
import {
  APPLICATION_DATABASE,
  APPLICATION_ROLE,
  applicationPassword,
  prepareApplication,
} from './application-role.js';
import { SUPERUSER } from './cluster.js';
import { LOOPBACK } from './server.js';

/**
 * The advisory lock for users of this server. Every user holds it shared. A user that holds it exclusively may stop
 * the server. Locks end with their connection, so a killed user leaves none.
 */
const USERS_LOCK = 7_305_411_001;

/** Creating a database takes longest: a second on a slow disk. */
const QUERY_TIMEOUT_MS = 10_000;

export type HoldOutcome =
  | { readonly kind: 'held'; readonly holder: Holder }
  /** The server exists but is not ready: it starts, recovers or stops, or its last user is about to stop it. */
  | { readonly kind: 'busy' }
  /** No server responds, or a server of another cluster. */
  | { readonly kind: 'absent' }
  /** The connection was accepted, but no data arrived. */
  | { readonly kind: 'silent' };

export interface HoldOptions {
  readonly port: number;
  readonly password: string;
  /** Its real path. A server of other files on that port is not ours, whatever password it accepts. */
  readonly clusterDir: string;
  readonly timeoutMs: number;
}

/** A connection that prevents other users from stopping the server. */
export class Holder {
  #lost: (() => void) | undefined;
  /** Resolves when the connection ends without `close` or `leave`, because the server disappeared. */
  readonly lost: Promise<void>;

  private constructor(
    private readonly client: pg.Client,
    readonly url: string,
  ) {
    this.lost = new Promise((resolve) => (this.#lost = resolve));
    client.once('end', () => this.#lost?.());
  }

  /**
   * Connects and takes the lock; makes the application's role and database when they are missing. Throws `misconfigured` only, for a server
   * of ours that refuses its own user.
   */
  static async take(options: HoldOptions): Promise<HoldOutcome> {
    const client = superuserClient(options, 'postgres');
    // Ignore the error: the end of the connection counts, and `lost` reports it.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const kind = await takeLock(client, options.clusterDir);
      if (kind === 'held') {
        await prepareApplication(client, options.password, (statement) => inDatabase(options, statement));
        const password = applicationPassword(options.password);
        const url = `postgres://${APPLICATION_ROLE}:${password}@${LOOPBACK}:${options.port}/${APPLICATION_DATABASE}`;
        return { kind, holder: new Holder(client, url) };
      }
      await client.end();
      return { kind };
    } catch (error) {
      void client.end().catch(() => undefined); // the connection failed anyway
      return { kind: outcomeOf(error) };
    }
  }

  /**
   * Releases the lock. True: this was the last user, and it holds the server exclusively until it stops. Call `close`
   * after stopping the server. False: the server has another user, or is gone.
   */
  async leave(): Promise<boolean> {
    try {
      // SQL: the lock of the session counts the users of the server.
      await this.client.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
      const { rows } = await this.client.query<{ alone: boolean }>(
        // SQL: the lock of the session proves that no other user is left.
        'SELECT pg_try_advisory_lock($1) AS alone',
        [USERS_LOCK],
      );
      return rows[0]?.alone === true;
    } catch {
      return false; // the connection is gone, and so is the lock
    }
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined); // stopping the server has already ended it
  }
}

async function takeLock(client: pg.Client, clusterDir: string): Promise<'held' | 'busy' | 'absent'> {
  const shown = await client.query<{ data_directory: string }>('SHOW data_directory');
  const served = await realpath(shown.rows[0]?.data_directory ?? '').catch(() => ''); // the files are on another machine
  if (served !== clusterDir) return 'absent';
  // SQL: the lock of the session counts the users of the server.
  const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock_shared($1) AS held', [
    USERS_LOCK,
  ]);
  if (rows[0]?.held !== true) return 'busy';
  return 'held';
}

function superuserClient(options: HoldOptions, database: string): pg.Client {
  return new pg.Client({
    host: LOOPBACK,
    port: options.port,
    user: SUPERUSER,
    password: options.password,
    database,
    application_name: 'store-sync holder',
    connectionTimeoutMillis: options.timeoutMs,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    ssl: false,
  });
}

async function inDatabase(options: HoldOptions, statement: string): Promise<void> {
  const client = superuserClient(options, APPLICATION_DATABASE);
  client.on('error', () => undefined); // the statement reports it as well
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function outcomeOf(error: unknown): 'busy' | 'absent' | 'silent' {
  const code = codeOf(error);
  // cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections, object_in_use, lock_not_available
  if (code !== undefined && ['57P03', '57P01', '57P02', '53300', '55006', '55P03'].includes(code))
    return 'busy';
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE' || code === '28P01')
    return 'absent';
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) {
    throw new CodedError('misconfigured', `the embedded PostgreSQL refuses its own user (${code})`, {
      cause: error,
    });
  }
  return 'silent'; // a timeout of the driver has no code
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
