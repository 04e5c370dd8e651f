import { Socket } from 'node:net';
import pg from 'pg';

/** How long a transaction may be open without a statement. None of ours waits for anything outside of the database. */
export const IDLE_IN_TRANSACTION_MS = 120_000;

/** The server probes a silent client after a minute, and gives it up after two. Without it, that takes hours. */
const KEEP_ALIVES = {
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '6',
  tcp_user_timeout: '120000',
};

/** The form in which the program reads and computes times, whatever a role or a database sets. */
const FORMS = { DateStyle: 'ISO', IntervalStyle: 'postgres', TimeZone: 'UTC' };

function asOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * A database URL for the driver. `sslmode=require` encrypts and verifies no certificate, as for psql: the driver would verify it.
 * `options` of the URL would replace ours, so that both are put together. Ours about forms come last, and therefore win.
 */
function urlForDriver(url: string, limits: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  const { searchParams } = parsed;
  const own = searchParams.get('options');
  const isLax = searchParams.get('sslmode') === 'require' && !searchParams.has('uselibpqcompat');
  if (own === null && !isLax) return url;
  if (isLax) searchParams.set('uselibpqcompat', 'true');
  if (own !== null) searchParams.set('options', `${limits} ${own} ${asOptions(FORMS)}`);
  return parsed.href;
}

/**
 * Clients with a time limit on the server's answers. A connection is destroyed, and its statements fail, when the server
 * sends nothing for `silenceMs` although it owes an answer. An idle connection, or one that waits for notifications, may be
 * silent.
 *
 * The other way round, the server ends a session whose client has vanished: in a transaction `idleInTransactionMs` after its last
 * statement, and otherwise by its own probes. Other processes wait no longer for a lock of such a session.
 *
 * The driver's `query_timeout` does not replace this: it fails the statement and keeps the connection, which goes back to its pool, so that
 * each further user of it waits as long. The server's `statement_timeout` ends nothing when the server, or the way to it, is gone.
 */
export function boundedClient(
  silenceMs: number,
  idleInTransactionMs = IDLE_IN_TRANSACTION_MS,
): typeof pg.Client {
  const limits = asOptions({
    ...KEEP_ALIVES,
    idle_in_transaction_session_timeout: String(idleInTransactionMs),
  });
  return class BoundedClient extends pg.Client {
    #asked = false;

    constructor(config?: string | pg.ClientConfig) {
      const given = typeof config === 'string' ? { connectionString: config } : (config ?? {});
      const { connectionString, options = '' } = given;
      super({
        ...given,
        options: `${options} ${limits} ${asOptions(FORMS)}`.trim(),
        ...(connectionString === undefined
          ? {}
          : { connectionString: urlForDriver(connectionString, limits) }),
      });
      // An error without a listener ends the process. The pool listens to idle connections only, and its user a moment after taking one,
      // when the server may have ended it already. The next statement fails in any case.
      this.on('error', () => undefined);
      // Everything that was asked has been answered.
      this.on('drain', () => (this.#asked = false));
      // Not before: setting up TLS changes the stream, and has a limit of its own.
      this.connection.once('readyForQuery', () => {
        const { stream } = this.connection;
        if (!(stream instanceof Socket)) return;
        stream.setTimeout(silenceMs);
        stream.on('timeout', () => {
          if (this.#asked) stream.destroy(new Error(`no answer within ${String(silenceMs)} ms`));
        });
      });
    }

    // In all of its forms: as many arguments as there are.
    override query(...args: never[]): never {
      this.#asked = true;
      return super.query(...(args as [never]));
    }
  };
}
