import { chmod, lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from './server-user.js';

/**
 * Gives a cluster to the user that runs its server; PostgreSQL refuses files of another, and a directory that others can enter.
 * Does nothing where it is that user's already.
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
  // Last, so that a chown that was cut off is seen by the next start.
  await lchown(path, user.uid, user.gid);
}
