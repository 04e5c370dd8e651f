import { chmod, lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from './server-user.js';

/**
 * Gives a cluster to the user that runs its server. PostgreSQL refuses files of another user, and a directory that
 * others can enter. Does nothing if the user already owns it.
 */
export async function ownClusterTo(clusterDir: string, user: ServerUser): Promise<void> {
  if ((await stat(clusterDir)).uid === user.uid) return;
  await give(clusterDir, user);
  await chmod(clusterDir, 0o700);
}

async function give(path: string, user: ServerUser): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await give(child, user);
    else await lchown(child, user.uid, user.gid);
  }
  // Changed last, so that the next start detects an interrupted change of owner.
  await lchown(path, user.uid, user.gid);
}
