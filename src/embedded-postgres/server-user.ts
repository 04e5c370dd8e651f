import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CodedError } from '../domain/errors.js';

/** The system account that a PostgreSQL server runs under when this process may not run it itself. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Preferred first. `nobody` exists practically everywhere, `postgres` where PostgreSQL was ever installed. */
export const SERVER_ACCOUNTS: readonly string[] = ['postgres', 'nobody'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * PostgreSQL refuses to run as root. As root this answers the account to run it under: the owner of the cluster where there is
 * one already (so that a directory which a person made stays that person's), otherwise the first of `accounts` that exists.
 * Null means: run it as this process's own user. Throws `misconfigured` when root finds no account at all.
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

/** Accounts of an /etc/passwd text by name; lines that are not accounts, and root, are left out. */
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
 * Whether `user` can reach `path`: every directory above it can be traversed. `path` itself need not exist. A parent of mode 0700
 * (root's home, a `mktemp -d`) hides everything below it, whatever the modes below say.
 */
export async function canReach(path: string, user: ServerUser): Promise<boolean> {
  let current = resolve(path);
  for (;;) {
    const above = dirname(current);
    if (above === current) return true;
    const real = await realpath(above).catch(absent);
    const status = real === undefined ? undefined : await stat(real).catch(absent);
    if (status && !mayTraverse(status, user)) return false;
    // A symbolic link leads elsewhere: what lies above its target counts as well.
    if (real !== undefined && real !== above && !(await canReach(real, user))) return false;
    current = above;
  }
}

function mayTraverse(status: { mode: number; uid: number; gid: number }, user: ServerUser): boolean {
  if (status.uid === user.uid) return (status.mode & 0o100) !== 0;
  // Supplementary groups are dropped when a child is given another uid, so only the account's own group counts.
  if (status.gid === user.gid) return (status.mode & 0o010) !== 0;
  return (status.mode & 0o001) !== 0;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
