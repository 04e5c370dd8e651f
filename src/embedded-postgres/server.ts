import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../domain/errors.js';
import type { PostgresBinaries } from './binaries.js';
import { runningPostmaster } from './postmaster.js';
import { asUser, runProgram, serverEnvironment } from './program.js';
import type { ServerUser } from './server-user.js';

export const LOOPBACK = '127.0.0.1';
const PG_CTL_TIMEOUT_MS = 10_000;
const POLL_MS = 25;

export interface ServerPlace {
  readonly clusterDir: string;
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser | null;
}

export interface StartOptions extends ServerPlace {
  readonly port: number;
  readonly logFile: string;
  /** Further settings, such as `{ fsync: 'off' }` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server process that we started. `exited` resolves when it has ended for any reason. */
export interface StartedServer {
  readonly pid: number;
  readonly exited: Promise<void>;
}

/**
 * Enough memory for the pages that the first load of a large store changes: with 64 MB its plan took a fifth more time. Pages that are
 * not used take no memory. Durable by PostgreSQL's own defaults (fsync, synchronous_commit), reachable only over loopback.
 * Statements and row values are not logged, because they contain merchants' content.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: LOOPBACK,
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  work_mem: '8MB',
  max_wal_size: '512MB',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the server in its own session, so that it survives this process and its terminal. Returns once it is
 * spawned, not once it is ready. If a server already runs on the files, PostgreSQL's own lock ends the new one.
 */
export async function spawnServer(options: StartOptions): Promise<StartedServer> {
  const settings = { ...SETTINGS, ...options.settings, port: String(options.port) };
  const args = ['-D', options.clusterDir];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const log = await open(options.logFile, 'a', 0o600);
  try {
    const child = spawn(options.binaries.postgres, args, {
      cwd: options.clusterDir,
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...asUser(options.user),
    });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) => {
        const message = `${options.binaries.postgres} cannot be run: set DATABASE_URL to use another server`;
        reject(new CodedError('misconfigured', message, { cause }));
      });
    });
    child.unref();
    return { pid: child.pid ?? 0, exited };
  } finally {
    await log.close();
  }
}

/**
 * `fast` rolls back open transactions and writes everything to disk. `immediate` drops everything, and the next start
 * recovers.
 */
export type StopMode = 'fast' | 'immediate';

/**
 * Stops the cluster's server and waits for its end, at most `timeoutMs`. Returns whether it has ended. No running
 * server counts as ended.
 */
export async function stopServer(place: ServerPlace, mode: StopMode, timeoutMs: number): Promise<boolean> {
  const running = await runningPostmaster(place.clusterDir);
  if (running === null) return true;
  // Do not use pg_ctl's own waiting (-w): it would wait for a successor, which another process may start immediately.
  await runProgram(place.binaries.pgCtl, ['stop', '-D', place.clusterDir, '-m', mode, '-W'], {
    user: place.user,
    cwd: place.clusterDir,
    timeoutMs: PG_CTL_TIMEOUT_MS,
  });
  return await isGone(place.clusterDir, running.pid, timeoutMs);
}

/** Polls until the server has ended or `timeoutMs` have passed; returns whether it has ended. */
async function isGone(clusterDir: string, pid: number, timeoutMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    if ((await runningPostmaster(clusterDir))?.pid !== pid) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/**
 * Ends a server that does not respond: cleanly if it still handles signals, then abruptly, and last by SIGKILL of its
 * postmaster. Its children notice that and exit; until then, PostgreSQL refuses to start on the same files. Committed
 * data survives all three. Throws `transient` when the server still exists afterwards.
 */
export async function stopHungServer(place: ServerPlace): Promise<void> {
  const running = await runningPostmaster(place.clusterDir);
  if (running === null) return;
  if (await stopServer(place, 'fast', 3_000)) return;
  if (await stopServer(place, 'immediate', 2_000)) return;
  process.kill(running.pid, 'SIGKILL');
  if (await isGone(place.clusterDir, running.pid, 3_000)) return;
  throw new CodedError('transient', `the PostgreSQL server ${running.pid} does not end`);
}
