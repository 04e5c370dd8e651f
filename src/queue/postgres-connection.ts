import {
  type BackendFactory,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
} from 'bullmq';
import type pg from 'pg';
import { boundedClient } from '../persistence/bounded-client.js';

/** The delay before a refused connection is reported, in milliseconds. */
const REFUSAL_MS = 500;
/** The time limit of a statement without a response, in milliseconds. */
const SILENCE_MS = 30_000;

/**
 * A worker repeats a failed statement at once. A server that starts or recovers refuses connections within a
 * millisecond. Without this delay, workers would connect a thousand times a second.
 */
export class UnhurriedClient extends boundedClient(SILENCE_MS) {
  /** The error that broke it; null while it can be used. */
  broken: Error | null = null;

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: (error: never, client: pg.Client) => void): Promise<pg.Client> | undefined {
    // The pool listens only to idle connections, and bullmq takes some out without a listener. A connection that
    // breaks then would end the process. Its user gets the error from the statement.
    this.on('error', (error) => (this.broken = error));
    if (callback === undefined) return super.connect();
    // As the driver calls it: with an error, or with null and the client.
    const done = callback as (error: Error | null, client: pg.Client) => void;
    super.connect((error: Error | null) => {
      // In the same turn, because the pool listens for errors from here on, and the next packet may be one.
      if (error === null) done(null, this);
      else setTimeout(() => done(error, this), REFUSAL_MS);
    });
    return undefined;
  }
}

/**
 * bullmq 6.7 checks only once whether its schema exists, and keeps the result even when the database was down. Then
 * the worker never recovers, and its loop blocks the process. Here the schema is brought up to date before any of
 * these is made (`openPostgresBackend`), so there is nothing to find out.
 */
class PreparedConnection extends PostgresConnection {
  override waitUntilReady(): Promise<void> {
    return Promise.resolve();
  }

  /** Prevents bullmq from keeping a connection that broke before it added a listener. */
  override async getListenClient(): ReturnType<PostgresConnection['getListenClient']> {
    const client = await super.getListenClient();
    if (client instanceof UnhurriedClient && client.broken !== null) {
      client.emit('error', client.broken);
      throw client.broken;
    }
    return client;
  }
}

/**
 * Creates the backends of queues and workers over a pool of `UnhurriedClient`s, instead of bullmq's
 * `createPostgresBackend`.
 */
export const createPreparedBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  name,
  options,
  kind = {},
) => {
  // A worker's LISTEN connection has the queue's name, by which bullmq's getWorkers finds it.
  const listener = kind.withBlockingConnection === true ? name : undefined;
  return new PostgresQueueBackend(new PreparedConnection(options.connection), name, options, true, listener);
};
