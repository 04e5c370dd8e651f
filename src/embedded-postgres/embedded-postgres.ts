import { setTimeout as sleep } from 'node:timers/promises';
import { BACKOFF } from '../domain/backoff.js';
import { errorLine } from '../domain/errors.js';
import { acquire } from './acquire.js';
import type { Holder } from './holder.js';
import { layoutOf, preparePlace, type Layout } from './location.js';
import { boundLog } from './server-log.js';
import { stopServer, type ServerPlace } from './server.js';

export interface EmbeddedPostgresOptions {
  /**
   * The directory of the cluster (`postgres`), its address (`postgres.json`, 0600) and its log (`postgres.log`).
   * Created when missing.
   */
  readonly dataDir: string;
  /** One line for people, without secrets. */
  readonly log: (line: string) => void;
  /** Called when the directory had no database and a new, empty one was made. */
  readonly onCreated?: () => void;
  /**
   * Called when the server restarted on another port: `url` of the object has changed, and pools on the old one are
   * dead.
   */
  readonly onMoved?: (url: string) => void;
  /** How long `openEmbeddedPostgres` tries before it throws; default 30 s. */
  readonly deadlineMs?: number;
  /** How long a running server may stay silent before it is stopped and restarted; default 8 s. */
  readonly hungAfterMs?: number;
  readonly now?: () => Date;
  /** In [0, 1). */
  readonly random?: () => number;
  /** For root: accounts to run the server as. The first existing one is used. */
  readonly accounts?: readonly string[];
}

export interface EmbeddedPostgres {
  /**
   * The URL of the application's database. It contains the password, so never log it. It stays the same after a
   * restart if the port is available.
   */
  readonly url: string;
  /** Releases the server. The last user stops it and waits. Never throws, and a second call does nothing. */
  release(): Promise<void>;
}

const DEADLINE_MS = 30_000;
const HUNG_AFTER_MS = 8_000;
const STOP_TIMEOUT_MS = 20_000;
const LOG_CHECK_MS = 60_000;

/**
 * Opens the embedded database (docs/decisions/0019-the-embedded-postgresql.md): one server per dataDir, for any
 * number of processes. The first process starts it, others adopt it, and the last one stops it. The server survives a
 * killed user, and the next user adopts it. While this process holds it, a server that disappears is restarted.
 * Throws `misconfigured` (with what to do) or `transient`.
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const now = options.now ?? (() => new Date());
  const place = await preparePlace({ ...options, now });
  const user = new ServerUse(place, layoutOf(options.dataDir), { ...options, now });
  await user.open();
  return user;
}

class ServerUse implements EmbeddedPostgres {
  readonly #released = new AbortController();
  #holder: Holder | null = null;
  #url = '';
  #comeback: Promise<void> = Promise.resolve();
  #release: Promise<void> | undefined;
  #logCheck: NodeJS.Timeout | undefined;

  constructor(
    private readonly place: ServerPlace,
    private readonly layout: Layout,
    private readonly options: EmbeddedPostgresOptions & { readonly now: () => Date },
  ) {}

  get url(): string {
    return this.#url;
  }

  async open(): Promise<void> {
    await this.#take();
    this.#logCheck = setInterval(() => {
      boundLog(this.layout.log).catch((error: unknown) =>
        this.#say(`its log cannot be bounded: ${errorLine(error)}`),
      );
    }, LOG_CHECK_MS).unref();
  }

  async release(): Promise<void> {
    this.#release ??= this.#leave();
    await this.#release;
  }

  async #take(): Promise<void> {
    const holder = await acquire({
      place: this.place,
      layout: this.layout,
      deadlineMs: this.options.deadlineMs ?? DEADLINE_MS,
      hungAfterMs: this.options.hungAfterMs ?? HUNG_AFTER_MS,
      now: this.options.now,
      random: this.options.random ?? Math.random,
      log: this.options.log,
    });
    this.#holder = holder;
    this.#url = holder.url;
    void holder.lost.then(() => {
      if (this.#released.signal.aborted) return;
      this.#holder = null;
      this.#comeback = this.#bringBack();
    });
  }

  /** No supervisor watches an embedded server, so its user restarts it, as often as necessary. */
  async #bringBack(): Promise<void> {
    const before = this.#url;
    this.#say('the server went away; bringing it back');
    for (let failures = 1; !this.#released.signal.aborted; failures += 1) {
      try {
        await this.#take();
        break;
      } catch (error) {
        this.#say(`it cannot be brought back yet: ${errorLine(error)}`);
      }
      await this.#pause(BACKOFF.embeddedServer.stepMs(failures));
    }
    if (this.#holder === null) return;
    this.#say('the server is back');
    if (this.#url !== before) {
      this.#say('the embedded PostgreSQL has a new port: connections to the old one must be opened again');
      this.options.onMoved?.(this.#url);
    }
  }

  async #leave(): Promise<void> {
    this.#released.abort();
    clearInterval(this.#logCheck);
    await this.#comeback;
    const holder = this.#holder;
    this.#holder = null;
    if (holder === null) return;
    try {
      if (await holder.leave()) await this.#stop();
    } catch (error) {
      this.#say(`the server could not be stopped, the next start adopts it: ${errorLine(error)}`);
    } finally {
      await holder.close();
    }
  }

  async #stop(): Promise<void> {
    if (await stopServer(this.place, 'fast', STOP_TIMEOUT_MS)) return;
    this.#say('the server does not stop in time; it is left to end by itself');
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#released.signal }).catch(() => undefined); // released: no need to wait
  }

  #say(line: string): void {
    this.options.log(`embedded PostgreSQL: ${line}`);
  }
}
