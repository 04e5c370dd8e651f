import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CodedError } from '../domain/errors.js';
import { asUser, runProgram, serverEnvironment, type ServerPlace } from './programs.js';

export const LOOPBACK = '127.0.0.1';
const PG_CTL_TIMEOUT_MS = 10_000;
const POLL_MS = 25;
/** A start begins a new log beyond this size. */
const LOG_LIMIT_BYTES = 2_000_000;

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
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the server, which survives this process and its terminal, and waits until it is ready. False when it does not start, for a
 * reason that the log names: another process may have been first. `settings` are further ones, such as `{ fsync: 'off' }` for tests.
 */
export async function startServer(
  { clusterDir, binaries, user }: ServerPlace,
  port: number,
  logFile: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  await removeForeignLock(clusterDir);
  const all = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
  const options = all.map(([name, value]) => `-c ${name}=${value}`).join(' ');
  const lengthBefore = await stat(logFile).then(
    ({ size }) => size,
    () => 0,
  ); // the first start
  const log = await open(logFile, lengthBefore > LOG_LIMIT_BYTES ? 'w' : 'a', 0o600);
  try {
    const child = spawn(binaries.pgCtl, ['start', '-D', clusterDir, '-w', '-o', options], {
      cwd: clusterDir,
      env: serverEnvironment(),
      stdio: ['ignore', log.fd, log.fd],
      ...asUser(user),
    });
    await once(child, 'exit');
    return child.exitCode === 0;
  } finally {
    await log.close();
  }
}

/**
 * Stops the cluster's server and waits for its end, at most `timeoutMs`. Returns whether it has ended. `fast` rolls back open
 * transactions and writes everything to disk; after `immediate`, the next start recovers.
 */
export async function stopServer(
  place: ServerPlace,
  mode: 'fast' | 'immediate',
  timeoutMs: number,
): Promise<boolean> {
  const running = await runningPostmaster(place.clusterDir);
  if (running === null) return true;
  // Not pg_ctl's own waiting (-w): it would wait for a successor, which another process may start immediately.
  const stop = ['stop', '-D', place.clusterDir, '-m', mode, '-W'];
  const options = { user: place.user, cwd: place.clusterDir, timeoutMs: PG_CTL_TIMEOUT_MS };
  await runProgram(place.binaries.pgCtl, stop, options).catch(() => undefined); // it has just ended by itself
  return await isGone(place.clusterDir, running.pid, timeoutMs);
}

/**
 * Ends a server that does not respond: cleanly if it still handles signals, and otherwise by SIGKILL. Its children notice that and
 * exit; until then, PostgreSQL refuses to start on the same files. Committed data survives both. Throws `transient` when the server
 * still exists afterwards.
 */
export async function stopHungServer(place: ServerPlace): Promise<void> {
  if (await stopServer(place, 'fast', 3_000)) return;
  const running = await runningPostmaster(place.clusterDir);
  if (running === null) return;
  process.kill(running.pid, 'SIGKILL');
  if (await isGone(place.clusterDir, running.pid, 3_000)) return;
  throw new CodedError('transient', `the PostgreSQL server ${running.pid} does not end`);
}

async function isGone(clusterDir: string, pid: number, timeoutMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    if ((await runningPostmaster(clusterDir))?.pid !== pid) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/**
 * The server that runs on this cluster, by its lock file; null when there is none. A lock file of a killed server does not count, even
 * if its pid now belongs to another process (pids repeat when a container restarts). The port is 0 while it is still starting.
 */
export async function runningPostmaster(clusterDir: string): Promise<{ pid: number; port: number } | null> {
  const lock = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => ''); // no server runs
  const [pid = 0, , , port = 0] = lock.split('\n').map(Number);
  if (!(pid > 0) || !isAlive(pid) || !(await serves(pid, clusterDir))) return null;
  return { pid, port };
}

/**
 * PostgreSQL refuses to start while the pid in its lock file lives, although it now belongs to another process. Two starters that
 * both remove the file still start one server: PostgreSQL finds the shared memory of the other.
 */
async function removeForeignLock(clusterDir: string): Promise<void> {
  if ((await runningPostmaster(clusterDir)) === null)
    await rm(join(clusterDir, 'postmaster.pid'), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether that process is a PostgreSQL server of this cluster. True where the system does not show it. */
async function serves(pid: number, clusterDir: string): Promise<boolean> {
  const [program = '', ...args] = await commandLine(pid);
  if (program === 'unknown') return true;
  const served = args[args.indexOf('-D') + 1] ?? '';
  if (!basename(program).startsWith('postgres')) return false;
  return (await realpath(served).catch(() => null)) === (await realpath(clusterDir));
}

/** Empty for a process that has ended but was not collected by its parent: it is no server, although it has a pid. */
async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux')
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  if (process.platform === 'win32') return ['unknown'];
  const listed = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => null);
  return listed === null ? ['unknown'] : listed.stdout.trim().split(/\s+/);
}
