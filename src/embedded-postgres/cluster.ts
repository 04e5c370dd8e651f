import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import {
  chown,
  lstat,
  mkdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { CodedError, errorLine } from '../domain/errors.js';
import {
  canReach,
  postgresBinaries,
  homeOf,
  ownHome,
  runProgram,
  serverUser,
  type PostgresBinaries,
  type ServerPlace,
  type ServerUser,
} from './programs.js';
import { runningPostmaster } from './server.js';

export const SUPERUSER = 'store_sync';
/** The role that the application connects as. It owns its database and nothing else, and is no superuser. */
export const APPLICATION_ROLE = 'store_sync_owner';
export const APPLICATION_DATABASE = 'store_sync';

const SECRET_FILE = 'superuser.password';
const INITDB_TIMEOUT_MS = 60_000;

/** The paths below `dataDir`. */
export function layoutOf(dataDir: string): Readonly<Record<'cluster' | 'address' | 'log', string>> {
  const path = (name: string): string => join(resolve(dataDir), name);
  return { cluster: path('postgres'), address: path('postgres.json'), log: path('postgres.log') };
}

export interface PrepareOptions {
  readonly dataDir: string;
  /** One line for people, without secrets. */
  readonly log: (line: string) => void;
  /** Called when the directory had no database and a new, empty one was made. */
  readonly onCreated?: () => void;
  /** The accounts that the server may run as when the program runs as root. The first existing one is used. */
  readonly accounts?: readonly string[];
}

/**
 * Prepares everything that a server needs before its start: dataDir, programs and cluster. Idempotent, and safe for several processes
 * at once. Throws `misconfigured` with what to do.
 */
export async function preparePlace({
  dataDir,
  log,
  onCreated,
  accounts,
}: PrepareOptions): Promise<ServerPlace> {
  const { cluster } = layoutOf(dataDir);
  await mkdir(dataDir, { recursive: true }).catch((cause: unknown) => {
    const why = errorLine(cause);
    throw new CodedError('misconfigured', `database.dataDir: the directory cannot be made: ${why}`, {
      cause,
    });
  });
  const user = await serverUser(cluster, accounts);
  const binaries = await postgresBinaries(user, log, { home: homeOf(dataDir, user) });
  if (!(await isCluster(cluster))) {
    await makeCluster(cluster, { binaries, user, log });
    onCreated?.();
  }
  const clusterDir = await realpath(cluster);
  if (user !== null) {
    if (!canReach(dirname(clusterDir), user)) {
      throw new CodedError(
        'misconfigured',
        `the user ${user.name}, who runs the embedded PostgreSQL, cannot reach ${clusterDir}: let everybody traverse the ` +
          'directories above it (chmod a+x)',
      );
    }
    // A copy that root restored belongs to root. PostgreSQL refuses files of another user.
    if ((await stat(clusterDir)).uid !== user.uid)
      await promisify(execFile)('chown', ['-R', `${user.uid}:${user.gid}`, clusterDir]);
  }
  const madeBy = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const major = binaries.version.split('.')[0] ?? '';
  if (madeBy !== major) {
    throw new CodedError(
      'misconfigured',
      `${clusterDir} was made by PostgreSQL ${madeBy} and this release brings ${major}: dump it with the ` +
        'release that made it and restore the dump into an empty dataDir',
    );
  }
  return { clusterDir, binaries, user };
}

/**
 * Where the server's user cannot reach dataDir, the cluster goes to a directory that it can reach, and `<dataDir>/postgres` becomes a
 * link to it. Of several starters the first link wins, and the others remove their cluster.
 */
async function makeCluster(
  cluster: string,
  { log, ...made }: NewCluster & { readonly log: (line: string) => void },
): Promise<void> {
  const inTheWay = await lstat(cluster).catch(() => null); // nothing is there, as it should be
  if (inTheWay?.isSymbolicLink() === true && !(await isCluster(cluster)))
    throw new CodedError('misconfigured', `${cluster} is a link whose target is gone`);
  if (canReach(dirname(cluster), made.user)) {
    await ensureCluster(cluster, made);
    return;
  }
  const clusterDir = join(
    await ownHome(homeOf(dirname(cluster), made.user), made.user),
    `cluster-${randomBytes(6).toString('hex')}`,
  );
  await ensureCluster(clusterDir, made);
  try {
    await symlink(clusterDir, cluster);
  } catch (error) {
    await rm(clusterDir, { recursive: true, force: true });
    if (await isCluster(cluster)) return;
    throw error;
  }
  log(
    `embedded PostgreSQL: the cluster is in ${clusterDir}, as the user ${made.user?.name}, who runs it, cannot reach ${cluster}`,
  );
}

export interface NewCluster {
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser | null;
  /** Whether a power failure may destroy the cluster; true only for tests. */
  readonly disposable?: boolean;
}

/** UTF8, sorted by code point, with Unicode case mapping: the same on every machine. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Creates a database cluster at `clusterDir` with SCRAM passwords only. The random superuser password is stored inside the cluster.
 * The cluster is built in a sibling directory and renamed, so that one of several starters wins and the others find its cluster. Does
 * nothing when the cluster exists. Throws `misconfigured` when something else is in the way or initdb fails.
 */
export async function ensureCluster(
  clusterDir: string,
  { binaries, user, disposable = false }: NewCluster,
): Promise<void> {
  if (await isCluster(clusterDir)) return;
  const draft = `${clusterDir}.init-${randomBytes(6).toString('hex')}`;
  const password = `${draft}.password`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
    for (const path of user === null ? [] : [draft, password])
      await chown(path, user?.uid ?? 0, user?.gid ?? 0);
    const auth = ['--username', SUPERUSER, '--pwfile', password, '--auth', 'scram-sha-256'];
    const options = { user, cwd: dirname(draft), timeoutMs: INITDB_TIMEOUT_MS };
    await runProgram(
      binaries.initdb,
      ['--pgdata', draft, ...auth, ...LOCALE, ...(disposable ? ['--no-sync'] : [])],
      options,
    );
    await rename(password, join(draft, SECRET_FILE));
    await rename(draft, clusterDir);
  } catch (cause) {
    if (await isCluster(clusterDir)) return;
    throw cause instanceof CodedError
      ? cause
      : new CodedError('misconfigured', `no PostgreSQL cluster can be made at ${clusterDir}`, { cause });
  } finally {
    for (const path of [draft, password]) await rm(path, { recursive: true, force: true });
  }
}

/** The superuser's password of a cluster from `ensureCluster`. Throws `misconfigured` for any other cluster. */
export async function clusterPassword(clusterDir: string): Promise<string> {
  return await readFile(join(clusterDir, SECRET_FILE), 'utf8').catch((cause: unknown) => {
    const message = `${clusterDir} is not readable as a cluster of store-sync's own`;
    throw new CodedError('misconfigured', message, { cause });
  });
}

/** The application's password is derived from the superuser's, and does not reveal it. */
export function applicationPassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(APPLICATION_ROLE).digest('hex');
}

/** Whether there is a database in this data directory. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return await isCluster(layoutOf(dataDir).cluster);
}

async function isCluster(clusterDir: string): Promise<boolean> {
  return await stat(join(clusterDir, 'PG_VERSION')).then(
    () => true,
    (cause: unknown) => {
      const code = cause instanceof Error && 'code' in cause ? cause.code : '';
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      throw new CodedError('misconfigured', `${clusterDir} cannot be read`, { cause });
    },
  );
}

const Address = z.object({ port: z.int().min(1).max(65_535) });

/** The port in the address file; null when that is missing or unreadable. The next start writes it again. */
export async function readPort(address: string): Promise<number | null> {
  const text = await readFile(address, 'utf8').catch(() => 'null');
  try {
    return Address.parse(JSON.parse(text)).port;
  } catch {
    return null;
  }
}

/** Other processes connect by this file. It is replaced in one step, so that a reader sees either the old or the new one. */
export async function writeAddress(address: string, port: number, password: string): Promise<void> {
  const draft = `${address}.${randomBytes(4).toString('hex')}`;
  const text = JSON.stringify({ port, user: APPLICATION_ROLE, password });
  await writeFile(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, address);
}

/**
 * Removes the embedded database of a dataDir permanently, wherever its cluster is. Throws `conflict` while its server runs. A missing
 * database is not an error.
 */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const layout = layoutOf(dataDir);
  const target = await readlink(layout.cluster).catch(() => layout.cluster); // not a link: the cluster itself
  if ((await isCluster(target)) && (await runningPostmaster(target)) !== null)
    throw new CodedError('conflict', `the database of ${dataDir} is in use`);
  for (const path of [target, layout.cluster, layout.address, layout.log])
    await rm(path, { recursive: true, force: true });
}
