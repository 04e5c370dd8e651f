import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKOFF } from '../domain/backoff.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { freePort } from '../runtime/free-port.js';
import {
  applicationPassword,
  clusterPassword,
  layoutOf,
  preparePlace,
  readPort,
  writeAddress,
  type PrepareOptions,
} from './cluster.js';
import { Hold } from './hold.js';
import { lastLines, type ServerPlace } from './programs.js';
import { runningPostmaster, startServer, stopHungServer, stopServer } from './server.js';

export interface EmbeddedPostgresOptions extends PrepareOptions {
  /** How long a running server may stay silent before it is stopped and restarted. One that starts, recovers or stops does respond. */
  readonly hungAfterMs?: number;
}

export interface EmbeddedPostgres {
  /** The URL of the application's database. It contains the password, so never log it. */
  readonly url: string;
  /** Releases the server. The last user stops it and waits. Never throws, and a second call does nothing. */
  release(): Promise<void>;
}

const DEADLINE_MS = 30_000;
const HUNG_AFTER_MS = 8_000;
const STOP_TIMEOUT_MS = 20_000;
/** How long a failing start is repeated: the last children of a killed server may still be exiting. */
const START_RETRY_MS = 8_000;
const PAUSE_MS = 50;

/**
 * Opens the embedded database (docs/decisions/0019-the-embedded-postgresql.md): one server per dataDir, for any number of processes.
 * The first process starts it, others adopt it, and the last one stops it. The server survives a killed user, and the next user adopts
 * it. While this process holds it, a server that disappears is restarted. Throws `misconfigured` (with what to do) or `transient`.
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const place = await preparePlace(options);
  const released = new AbortController();
  const say = (line: string): void => options.log(`embedded PostgreSQL: ${line}`);
  let hold: Hold | null = null;
  let comeback: Promise<void> = Promise.resolve();

  const take = async (): Promise<string> => {
    const taken = await acquire(place, options, say);
    hold = taken;
    void taken.lost.then(() => {
      hold = null;
      if (!released.signal.aborted) comeback = bringBack();
    });
    return taken.url;
  };
  /** No supervisor watches an embedded server, so its user restarts it, as often as necessary. */
  const bringBack = async (): Promise<void> => {
    say('the server went away; bringing it back');
    for (let failures = 1; !released.signal.aborted; failures += 1) {
      try {
        const moved = (await take()) !== url;
        say(moved ? 'the server is back on another port: restart store-sync' : 'the server is back');
        return;
      } catch (error) {
        say(`it cannot be brought back yet: ${errorLine(error)}`);
      }
      const pauseMs = BACKOFF.embeddedServer.stepMs(failures);
      await sleep(pauseMs, undefined, { signal: released.signal }).catch(() => undefined); // released: no need to wait
    }
  };
  const leave = async (): Promise<void> => {
    released.abort();
    await comeback;
    try {
      if ((await hold?.leave()) === true && !(await stopServer(place, 'fast', STOP_TIMEOUT_MS)))
        say('the server does not stop in time; it is left to end by itself');
    } catch (error) {
      say(`the server could not be stopped, the next start adopts it: ${errorLine(error)}`);
    } finally {
      await hold?.close();
    }
  };

  const url = await take();
  let leaving: Promise<void> | undefined;
  return { url, release: async () => await (leaving ??= leave()) };
}

/**
 * Takes a hold on the cluster's server. A running server is adopted; otherwise one is started. Several processes may do this at once:
 * PostgreSQL's own lock rejects the second start, and that process adopts. A silent server gets time, is then stopped, and only then
 * started again. Throws `misconfigured` when it cannot be started, and `transient` at the deadline.
 */
async function acquire(
  place: ServerPlace,
  { dataDir, hungAfterMs = HUNG_AFTER_MS }: EmbeddedPostgresOptions,
  say: (line: string) => void,
): Promise<Hold> {
  const { clusterDir } = place;
  const layout = layoutOf(dataDir);
  const password = await clusterPassword(clusterDir);
  const startedAt = performance.now();
  let silentSince: number | null = null;
  let failingSince: number | null = null;
  while (performance.now() - startedAt < DEADLINE_MS) {
    const running = await runningPostmaster(clusterDir);
    if (running === null) {
      const port = await freePort({ preferred: await readPort(layout.address), random: Math.random });
      if (await startServer(place, port, layout.log)) continue;
      failingSince ??= performance.now();
      if (performance.now() - failingSince > START_RETRY_MS) break;
    } else {
      const outcome = await Hold.take({ port: running.port, password, clusterDir });
      if (outcome instanceof Hold) {
        if ((await readPort(layout.address)) !== running.port)
          await writeAddress(layout.address, running.port, applicationPassword(password));
        return outcome;
      }
      silentSince = outcome === 'silent' ? (silentSince ?? performance.now()) : null;
      if (silentSince !== null && performance.now() - silentSince > hungAfterMs) {
        say('the server does not answer; it is stopped and started again');
        await stopHungServer(place);
        silentSince = null;
      }
    }
    await sleep(PAUSE_MS);
  }
  const log = lastLines(await readFile(layout.log, 'utf8').catch(() => '')); // it never came to a log
  throw new CodedError(
    failingSince === null ? 'transient' : 'misconfigured',
    `the embedded PostgreSQL does not start (${layout.log}): ${log}`,
  );
}
