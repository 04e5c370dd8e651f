import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const EXPORT_FOLDER = 'store-export-';
/** A read that goes on for a day is none. */
const LEFT_OVER_MS = 86_400_000;

/**
 * Removes the folders of exports whose process was killed. Folders of other users in the same directory are theirs: they stay, and
 * whatever cannot be looked at or removed does not keep an export from being read.
 */
export async function removeLeftovers(parent: string, now: Date, user: number | undefined): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(EXPORT_FOLDER)) continue;
    const folder = join(parent, name);
    const found = await stat(folder).catch(() => null);
    if (found === null || (user !== undefined && found.uid !== user)) continue;
    if (now.getTime() - found.mtimeMs > LEFT_OVER_MS)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
