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
 * Advisory lock on "somebody uses this server": every user process holds it shared, whoever takes it exclusively may stop the server.
 * Locks die with their connection, so a killed user leaves none behind.
 */
const USERS_LOCK = 7_305_411_001;

/** Making a database is the longest of them: a second on a slow disk. */
const QUERY_TIMEOUT_MS = 10_000;

export type HoldOutcome =
  | { readonly kind: 'held'; readonly holder: Holder }
  /** It is there and not ready: starting, recovering, stopping, or its last user is about to stop it. */
  | { readonly kind: 'busy' }
  /** Nobody there, or somebody who is not the server of this cluster. */
  | { readonly kind: 'absent' }
  /** A connection was accepted and nothing came. */
  | { readonly kind: 'silent' };

export interface HoldOptions {
  readonly port: number;
  readonly password: string;
  /** Its real path; a server of other files at that port is not ours, whatever password it takes. */
  readonly clusterDir: string;
  readonly timeoutMs: number;
}

/** One connection that keeps the server from being stopped by its other users. */
export class Holder {
  #lost: (() => void) | undefined;
  /** Resolves when the connection ends without `close` or `leave`: the server went away. */
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
    // The end of the connection is what counts; `lost` reports it.
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
      void client.end().catch(() => undefined); // of a connection that failed anyway
      return { kind: outcomeOf(error) };
    }
  }

  /**
   * Gives the lock up. True: this was the last user, and holds the server alone until it stops (nobody can open it meanwhile);
   * call `close` after stopping it. False: somebody else uses it, or it is gone.
   */
  async leave(): Promise<boolean> {
    try {
      await this.client.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
      const { rows } = await this.client.query<{ alone: boolean }>(
        'SELECT pg_try_advisory_lock($1) AS alone',
        [USERS_LOCK],
      );
      return rows[0]?.alone === true;
    } catch {
      return false; // the connection is gone, and the lock with it
    }
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined); // stopping the server has ended it already
  }
}

async function takeLock(client: pg.Client, clusterDir: string): Promise<'held' | 'busy' | 'absent'> {
  const shown = await client.query<{ data_directory: string }>('SHOW data_directory');
  const served = await realpath(shown.rows[0]?.data_directory ?? '').catch(() => ''); // of another machine's files
  if (served !== clusterDir) return 'absent';
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
  return 'silent'; // a timeout of the driver, which has no code
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
