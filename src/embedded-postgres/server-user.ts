import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CodedError } from '../domain/errors.js';

/** The system account that runs a PostgreSQL server when this process may not. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** In order of preference. `nobody` exists almost everywhere, `postgres` wherever PostgreSQL was installed. */
export const SERVER_ACCOUNTS: readonly string[] = ['postgres', 'nobody'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * PostgreSQL refuses to run as root. For root, this returns the account that runs the server: the owner of an
 * existing cluster, or otherwise the first existing one of `accounts`. Null means the process's own user. Throws
 * `misconfigured` when root finds no account.
 */
export async function serverUser(
  clusterDir: string,
  accounts: readonly string[] = SERVER_ACCOUNTS,
): Promise<ServerUser | null> {
  if (!isRoot()) return null;
  const known = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  const owner = await stat(clusterDir).catch(absent);
  if (owner && owner.uid !== 0) {
    const named = [...known.values()].find((account) => account.uid === owner.uid);
    return { name: named?.name ?? `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  }
  for (const account of accounts) {
    const found = known.get(account);
    if (found) return found;
  }
  throw new CodedError(
    'misconfigured',
    `the embedded PostgreSQL cannot run as root, and there is no user ${accounts.join(' or ')} to run it as: ` +
      'start store-sync as another user, or set DATABASE_URL',
  );
}

/** The accounts of an /etc/passwd text by name, without root and invalid lines. */
export function parsePasswd(text: string): Map<string, ServerUser> {
  const accounts = new Map<string, ServerUser>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (!name || !uid || !gid || !/^\d+$/.test(uid) || !/^\d+$/.test(gid) || uid === '0') continue;
    accounts.set(name, { name, uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}

/**
 * Whether `user` can reach `path`: every directory above it can be traversed. `path` itself need not exist. A parent
 * with mode 0700 (root's home, a `mktemp -d`) hides everything below it.
 */
export async function canReach(path: string, user: ServerUser): Promise<boolean> {
  let current = resolve(path);
  for (;;) {
    const above = dirname(current);
    if (above === current) return true;
    const real = await realpath(above).catch(absent);
    const status = real === undefined ? undefined : await stat(real).catch(absent);
    if (status && !mayTraverse(status, user)) return false;
    // A symbolic link leads elsewhere, so the directories above its target count, too.
    if (real !== undefined && real !== above && !(await canReach(real, user))) return false;
    current = above;
  }
}

function mayTraverse(status: { mode: number; uid: number; gid: number }, user: ServerUser): boolean {
  if (status.uid === user.uid) return (status.mode & 0o100) !== 0;
  // A child with another uid loses supplementary groups, so only the account's own group counts.
  if (status.gid === user.gid) return (status.mode & 0o010) !== 0;
  return (status.mode & 0o001) !== 0;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
