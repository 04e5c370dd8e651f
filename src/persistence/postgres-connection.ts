import pg from 'pg';
import { CodedError } from '../domain/errors.js';

/** A database URL in its parts. `password` is for the driver alone. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/**
 * The parts of a `postgres://` or `postgresql://` URL; options behind `?` (sslmode and the like) stay the driver's.
 * Throws `misconfigured`, without any part of the URL, because it contains the password, and so does the cause.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const refuse = (why: string): CodedError => new CodedError('misconfigured', `the database URL ${why}`);
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) throw refuse('is not a URL');
  if (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:') {
    throw refuse('must begin with postgres:// or postgresql://');
  }
  const database = decoded(parsed.pathname.slice(1));
  const user = decoded(parsed.username);
  const password = decoded(parsed.password);
  if (database === null || user === null || password === null) throw refuse('holds a broken % sequence');
  if (database === '') throw refuse('names no database');
  return {
    host: parsed.hostname === '' ? 'localhost' : parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? 5432 : Number(parsed.port),
    database,
    user,
    password,
  };
}

/** Where a URL leads, for people: host, port and database, never the credentials. */
export function databaseLabel(url: string): string {
  const { host, port, database } = parseDatabaseUrl(url);
  return `${host}:${port}/${database}`;
}

export interface PoolOptions {
  readonly url: string;
  /** Connections at most; 10. */
  readonly max?: number;
  /** The server ends a statement after this time; absent: never. */
  readonly statementTimeoutMs?: number;
  /** Called for idle connections that broke; the pool replaces them by itself. */
  readonly onError: (error: CodedError) => void;
}

/** A dead database must be noticed within seconds (docs/decisions/0008-a-4xx-is-final.md); the driver's own limit is none. */
export const CONNECT_TIMEOUT_MS = 2_000;

/** A pool of connections named `store-sync`. Nothing is connected yet. Throws `misconfigured` for a URL that is none. */
export function createPool(options: PoolOptions): pg.Pool {
  parseDatabaseUrl(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: 'store-sync',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    max: options.max ?? 10,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
  });
  // A connection that breaks without a listener would end the process. The pool handles idle connections, but not
  // those in use. Their error is repeated as that of the statement.
  pool.on('error', (cause) => {
    options.onError(new CodedError('transient', 'an idle database connection broke', { cause }));
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // URIError, the only thing it throws
  }
}
