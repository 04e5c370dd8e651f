import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../domain/errors.js';
import { freePort } from '../runtime/free-port.js';
import { APPLICATION_ROLE, applicationPassword } from './application-role.js';
import { clusterPassword, lastLines } from './cluster.js';
import { Holder, type HoldOutcome } from './holder.js';
import { readAddress, writeAddress, type Layout } from './location.js';
import { removeForeignLock, runningPostmaster } from './postmaster.js';
import { boundLog } from './server-log.js';
import { spawnServer, stopHungServer, type ServerPlace } from './server.js';

/** How long a failing start is repeated: the last children of a killed server may still be exiting. */
const START_RETRY_MS = 8_000;
const CONNECT_TIMEOUT_MS = 2_000;
const PAUSE_MS = 50;

export interface AcquireOptions {
  readonly place: ServerPlace;
  readonly layout: Layout;
  readonly deadlineMs: number;
  /** How long a server may be silent before it is stopped. A server that starts, recovers or stops does respond. */
  readonly hungAfterMs: number;
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/**
 * Takes a hold on the cluster's server. A running server is adopted; otherwise one is started. Several processes may
 * do this at once: PostgreSQL's own lock rejects the second start, and that process adopts. A silent server gets
 * time, is then stopped, and only then started again. Throws `misconfigured` when it cannot be started, and
 * `transient` at the deadline.
 */
export async function acquire(options: AcquireOptions): Promise<Holder> {
  const password = await clusterPassword(options.place.clusterDir);
  const startedAt = options.now().getTime();
  const elapsed = (): number => options.now().getTime() - startedAt;
  let unansweredSince: number | null = null;
  let firstFailedStart: number | null = null;
  let last = 'nothing answers';
  while (elapsed() < options.deadlineMs) {
    const found = await adopt(options, password);
    if (found === 'none') {
      unansweredSince = null;
      const holder = await start(options, password, startedAt + options.deadlineMs);
      if (holder) return holder;
      firstFailedStart ??= elapsed();
      last = await startFailure(options);
      if (elapsed() - firstFailedStart > START_RETRY_MS) throw new CodedError('misconfigured', last);
      await sleep(250);
    } else if (found.kind === 'held') {
      return found.holder;
    } else if (found.kind === 'busy') {
      unansweredSince = null;
      last = 'it is starting, recovering or stopping';
    } else {
      unansweredSince ??= elapsed();
      last = 'it does not answer';
      if (elapsed() - unansweredSince > options.hungAfterMs) {
        options.log('embedded PostgreSQL: the server does not answer; it is stopped and started again');
        await stopHungServer(options.place);
      }
    }
    await sleep(PAUSE_MS);
  }
  throw new CodedError(
    'transient',
    `the embedded PostgreSQL is not ready after ${Math.round(options.deadlineMs / 1000)} s: ${last}`,
  );
}

/** Tries the stored address, then the data that the running server recorded. `none`: no server runs on these files. */
async function adopt(options: AcquireOptions, password: string): Promise<HoldOutcome | 'none'> {
  const { clusterDir } = options.place;
  const take = async (port: number): Promise<HoldOutcome> =>
    await Holder.take({ port, password, clusterDir, timeoutMs: CONNECT_TIMEOUT_MS });
  const address = await readAddress(options.layout);
  const asLeft = address === null ? null : await take(address.port);
  // An older release left the superuser's password.
  if (asLeft?.kind === 'held' && address !== null && address.user !== APPLICATION_ROLE)
    await leaveAddress(options, address.port, password);
  if (asLeft?.kind === 'held' || asLeft?.kind === 'busy') return asLeft;
  const running = await runningPostmaster(clusterDir);
  if (running === null) return 'none';
  if (running.port === null) return { kind: 'absent' };
  if (asLeft !== null && address?.port === running.port) return asLeft;
  const outcome = await take(running.port);
  if (outcome.kind === 'held') {
    // Its starter was killed before it could store the address.
    await leaveAddress(options, running.port, password);
  }
  return outcome;
}

/** Null when the started server ended again: another server was first, the port was taken, or it cannot run. */
async function start(options: AcquireOptions, password: string, untilMs: number): Promise<Holder | null> {
  const { place, layout } = options;
  await boundLog(layout.log);
  await removeForeignLock(place.clusterDir);
  const port = await freePort({
    preferred: (await readAddress(layout))?.port ?? null,
    random: options.random,
  });
  const server = await spawnServer({ ...place, port, logFile: layout.log });
  const state = { ended: false };
  void server.exited.then(() => (state.ended = true));
  while (!state.ended && options.now().getTime() < untilMs) {
    const outcome = await Holder.take({
      port,
      password,
      clusterDir: place.clusterDir,
      timeoutMs: CONNECT_TIMEOUT_MS,
    });
    if (outcome.kind === 'held') {
      await leaveAddress(options, port, password);
      return outcome.holder;
    }
    await sleep(PAUSE_MS);
  }
  return null;
}

async function leaveAddress(options: AcquireOptions, port: number, password: string): Promise<void> {
  await writeAddress(options.layout, {
    port,
    user: APPLICATION_ROLE,
    password: applicationPassword(password),
    version: options.place.binaries.version,
  });
}

async function startFailure(options: AcquireOptions): Promise<string> {
  const text = await readFile(options.layout.log, 'utf8').catch(() => ''); // the log does not exist, so there is nothing to quote
  return `the embedded PostgreSQL does not start (${options.layout.log}): ${lastLines(text)}`;
}
