import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { postgresBinaries, reachableHome } from './binaries.js';
import { assertSameMajor, ensureCluster, isCluster } from './cluster.js';
import { runningPostmaster } from './postmaster.js';
import { ownClusterTo } from './ownership.js';
import type { ServerPlace } from './server.js';
import { canReach, serverUser, type ServerUser } from './server-user.js';

/** The paths below `dataDir`. */
export interface Layout {
  readonly cluster: string;
  readonly address: string;
  readonly log: string;
}

export function layoutOf(dataDir: string): Layout {
  const base = resolve(dataDir);
  return {
    cluster: join(base, 'postgres'),
    address: join(base, 'postgres.json'),
    log: join(base, 'postgres.log'),
  };
}

/** Whether there is a database in this data directory. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return isCluster(layoutOf(dataDir).cluster);
}

export interface PrepareOptions {
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Called when the directory had no database and a new, empty one was made. */
  readonly onCreated?: () => void;
  readonly now: () => Date;
  /** Accounts to run the server as when this process is root; see `serverUser`. */
  readonly accounts?: readonly string[];
}

/**
 * Prepares everything that a server needs before its start: dataDir, programs and cluster. Idempotent, and safe for
 * several processes at once. Throws `misconfigured` with what to do.
 */
export async function preparePlace(options: PrepareOptions): Promise<ServerPlace> {
  const layout = layoutOf(options.dataDir);
  await makeDataDir(options.dataDir);
  const user = await serverUser(layout.cluster, options.accounts);
  const binaries = await postgresBinaries(user, options.log);
  if (!(await isCluster(layout.cluster))) {
    if (user === null || (await canReach(layout.cluster, user))) {
      await ensureCluster(layout.cluster, { binaries, user, now: options.now });
    } else {
      await makeElsewhere(
        layout,
        user,
        async (clusterDir) => {
          await ensureCluster(clusterDir, { binaries, user, now: options.now });
        },
        options.log,
      );
    }
    options.onCreated?.();
  }
  const clusterDir = await realpath(layout.cluster);
  if (user !== null) {
    if (!(await canReach(clusterDir, user))) {
      throw new CodedError(
        'misconfigured',
        `the user ${user.name}, who runs the embedded PostgreSQL, cannot reach ${clusterDir}: let everybody traverse the ` +
          'directories above it (chmod a+x)',
      );
    }
    await ownClusterTo(clusterDir, user);
  }
  await assertSameMajor(clusterDir, binaries);
  return { clusterDir, binaries, user };
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
  } catch (cause) {
    throw new CodedError('misconfigured', `the data directory ${dataDir} cannot be made`, { cause });
  }
}

/**
 * For a dataDir that the server's user cannot reach. The cluster goes to a reachable directory, and
 * `<dataDir>/postgres` becomes a link to it. The directory name is partly random: a dataDir that was deleted and
 * created again must not restore an old cluster. Of several starters the first link wins, and the others remove their
 * cluster. Older clusters of the same dataDir are reported but never removed, because the directory may just not be
 * mounted.
 */
async function makeElsewhere(
  layout: Layout,
  user: ServerUser,
  make: (clusterDir: string) => Promise<void>,
  log: (line: string) => void,
): Promise<void> {
  if ((await lstat(layout.cluster).catch(absent)) !== undefined) {
    throw new CodedError(
      'misconfigured',
      `${layout.cluster} is in the way: it is no database cluster, or its target is gone`,
    );
  }
  const home = await reachableHome(user);
  const stem = createHash('sha256').update(layout.cluster).digest('hex').slice(0, 12);
  const older = (await readdir(home)).filter((name) => name.startsWith(`${stem}-`) && !name.includes('.'));
  const clusterDir = join(home, `${stem}-${randomBytes(4).toString('hex')}`);
  await make(clusterDir);
  try {
    await symlink(clusterDir, layout.cluster);
  } catch (error) {
    await rm(clusterDir, { recursive: true, force: true });
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  log(
    `embedded PostgreSQL: the cluster is in ${clusterDir}, as the user ${user.name}, who runs it, cannot reach ${layout.cluster}` +
      (older.length === 0 ? '' : `; earlier ones of this directory are left there: ${older.join(', ')}`),
  );
}

const Address = z.object({
  port: z.int().min(1).max(65_535),
  /** The application's role. Absent from an address that an older release left. */
  user: z.string().min(1).optional(),
  password: z.string().min(1),
  version: z.string(),
});

/** The address of a dataDir's server. */
export type Address = z.infer<typeof Address>;

/** Null when it is missing or unreadable. Then the data in the cluster is used. */
export async function readAddress(layout: Layout): Promise<Address | null> {
  const text = await readFile(layout.address, 'utf8').catch(absent);
  if (text === undefined) return null;
  try {
    return Address.parse(JSON.parse(text));
  } catch {
    return null; // the file was edited or truncated; the next start writes it again
  }
}

/** Replaces the address in one step, so that a reader sees either the old or the new one. */
export async function writeAddress(layout: Layout, address: Address): Promise<void> {
  const draft = `${layout.address}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: 'wx' });
    await chmod(draft, 0o600);
    await rename(draft, layout.address);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes the embedded database of a dataDir permanently, wherever its cluster is. Throws `conflict` while its server
 * runs. A missing database is not an error.
 */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const layout = layoutOf(dataDir);
  const target = await readlink(layout.cluster).catch(() => layout.cluster); // not a link: the cluster itself
  if ((await isCluster(target)) && (await runningPostmaster(target)) !== null) {
    throw new CodedError('conflict', `the database of ${dataDir} is in use`);
  }
  for (const path of [target, layout.cluster, layout.address, layout.log, `${layout.log}.1`]) {
    await rm(path, { recursive: true, force: true });
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
