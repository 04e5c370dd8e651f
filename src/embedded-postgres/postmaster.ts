import { execFile } from 'node:child_process';
import { link, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);

/** The data that a running server recorded in its cluster. */
export interface Postmaster {
  readonly pid: number;
  /** Null while it is still starting. */
  readonly port: number | null;
}

/**
 * The server that runs on this cluster, by its lock file; null when there is none. A lock file of a killed server
 * does not count, even if its pid now belongs to another process (pids repeat when a container restarts).
 */
export async function runningPostmaster(clusterDir: string): Promise<Postmaster | null> {
  const text = await readLock(clusterDir);
  if (text === undefined) return null;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return null;
  if ((await serves(pid, clusterDir)) === false) return null;
  const port = Number(lines[3]);
  return { pid, port: Number.isInteger(port) && port > 0 ? port : null };
}

/**
 * Removes a killed server's lock file if its pid now belongs to another process. PostgreSQL would refuse to start
 * while that process lives. The file is moved first, and restored if it is not the one that was checked, because a
 * server may have started in between.
 */
export async function removeForeignLock(clusterDir: string): Promise<void> {
  const judged = await readLock(clusterDir);
  if (judged === undefined || (await runningPostmaster(clusterDir)) !== null) return;
  const pid = Number(judged.split('\n')[0]);
  if (!Number.isInteger(pid) || !isAlive(pid)) return; // PostgreSQL itself detects that this file is stale
  const lock = join(clusterDir, 'postmaster.pid');
  const aside = `${lock}.stale-${process.pid}`;
  await rename(lock, aside).catch(absent);
  const moved = await readFile(aside, 'utf8').catch(absent);
  if (moved !== undefined && moved !== judged) await link(aside, lock).catch(occupied);
  await rm(aside, { force: true });
}

/** Whether a process or thread has this id, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether that process is a PostgreSQL server of this cluster; undefined where the system does not show it. */
async function serves(pid: number, clusterDir: string): Promise<boolean | undefined> {
  const command = await commandLine(pid);
  if (command === undefined) return undefined;
  const [program = '', ...args] = command;
  if (!basename(program).startsWith('postgres')) return false;
  const flag = args.indexOf('-D');
  const served = flag < 0 ? undefined : args[flag + 1];
  if (served === undefined) return undefined;
  const real = await realpath(served).catch(absent);
  return real === (await realpath(clusterDir));
}

async function commandLine(pid: number): Promise<string[] | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined); // the process has ended, or is hidden from us
    // Empty for a process that has ended but was not collected by its parent. It is not a server, although it has a
    // pid.
    return text?.split('\0');
  }
  if (process.platform === 'win32') return undefined;
  const listed = await execFileAsync('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return listed?.stdout.trim().split(/\s+/);
}

async function readLock(clusterDir: string): Promise<string | undefined> {
  return await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(absent);
}

/** Another server has created its own file meanwhile. */
function occupied(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
