import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import type { PostgresBinaries } from './binaries.js';
import { runProgram } from './program.js';
import type { ServerUser } from './server-user.js';

export const SUPERUSER = 'store_sync';

const SECRET_FILE = 'store-sync.json';
const Secret = z.object({ password: z.string().min(1) });
const INITDB_TIMEOUT_MS = 60_000;
/** A draft of this age belongs to a starter that was killed. */
const STALE_DRAFT_MS = 10 * 60_000;

export interface NewCluster {
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser | null;
  /** Whether a power failure may destroy the cluster; true only for tests. */
  readonly disposable?: boolean;
  readonly now: () => Date;
}

/**
 * Creates a database cluster at `clusterDir`: UTF8, sorted by code point, with Unicode case mapping (the same on
 * every machine), and SCRAM passwords only. The random superuser password is stored inside the cluster. The cluster
 * is built in a sibling directory and renamed, so that one of several starters wins and the others find its cluster.
 * Does nothing when the cluster exists. Throws `misconfigured` when something else is in the way or initdb fails.
 */
export async function ensureCluster(clusterDir: string, options: NewCluster): Promise<void> {
  if (await isCluster(clusterDir)) return;
  await removeStaleDrafts(clusterDir, options.now());
  const draft = `${clusterDir}.init-${randomBytes(6).toString('hex')}`;
  try {
    await initdb(draft, options);
    await rename(draft, clusterDir);
  } catch (cause) {
    if (await isCluster(clusterDir)) return;
    throw cause instanceof CodedError
      ? cause
      : new CodedError('misconfigured', `no PostgreSQL cluster can be made at ${clusterDir}`, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(`${draft}.password`, { force: true });
  }
}

async function initdb(draft: string, { binaries, user, disposable }: NewCluster): Promise<void> {
  const password = randomBytes(24).toString('hex');
  const passwordFile = `${draft}.password`;
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (user) {
    await chown(draft, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const args = [
    '--pgdata',
    draft,
    '--username',
    SUPERUSER,
    '--pwfile',
    passwordFile,
    '--auth',
    'scram-sha-256',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
    ...(disposable === true ? ['--no-sync'] : []),
  ];
  const result = await runProgram(binaries.initdb, args, {
    user,
    cwd: dirname(draft),
    timeoutMs: INITDB_TIMEOUT_MS,
  });
  if (result.exitCode !== 0) {
    throw new CodedError('misconfigured', `initdb failed: ${lastLines(result.output)}`);
  }
  const secret = join(draft, SECRET_FILE);
  await writeFile(secret, JSON.stringify({ password }), { mode: 0o600, flag: 'wx' });
  if (user) await chown(secret, user.uid, user.gid);
  await chmod(draft, 0o700);
}

/** The superuser's password of a cluster from `ensureCluster`. Throws `misconfigured` for any other cluster. */
export async function clusterPassword(clusterDir: string): Promise<string> {
  try {
    return Secret.parse(JSON.parse(await readFile(join(clusterDir, SECRET_FILE), 'utf8'))).password;
  } catch (cause) {
    throw new CodedError('misconfigured', `${clusterDir} is not readable as a cluster of store-sync's own`, {
      cause,
    });
  }
}

/** Throws `misconfigured` when another major version created the cluster, because PostgreSQL cannot open its files. */
export async function assertSameMajor(clusterDir: string, binaries: PostgresBinaries): Promise<void> {
  const made = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const ours = binaries.version.split('.')[0] ?? '';
  if (made !== ours) {
    throw new CodedError(
      'misconfigured',
      `${clusterDir} was made by PostgreSQL ${made} and this release brings ${ours}: dump it with the ` +
        'release that made it and restore the dump into an empty dataDir',
    );
  }
}

/** Whether a complete cluster exists; follows a symbolic link. */
export async function isCluster(clusterDir: string): Promise<boolean> {
  return await stat(join(clusterDir, 'PG_VERSION')).then(
    () => true,
    (error: unknown) => {
      // Do not use instanceof: the error may be of another realm than this module.
      const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      throw new CodedError('misconfigured', `${clusterDir} cannot be read`, { cause: error });
    },
  );
}

async function removeStaleDrafts(clusterDir: string, now: Date): Promise<void> {
  const parent = dirname(clusterDir);
  const prefix = `${basename(clusterDir)}.init-`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const status = await stat(join(parent, name)).catch(() => null); // its owner may have just removed it
    const ageMs = status === null ? 0 : now.getTime() - status.mtimeMs;
    if (ageMs > STALE_DRAFT_MS) await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** The end of a program's output as one line. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' ').slice(-500);
}
