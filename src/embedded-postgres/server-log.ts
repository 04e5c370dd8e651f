import { copyFile, stat, truncate } from 'node:fs/promises';

export const LOG_LIMIT_BYTES = 2_000_000;

/**
 * Limits the size of the server's log. Beyond the limit, the content moves to `<file>.1`, which replaces the previous
 * one. The file is copied and truncated, because the running server keeps it open for appending.
 */
export async function boundLog(file: string, limitBytes = LOG_LIMIT_BYTES): Promise<void> {
  const status = await stat(file).catch(absent);
  if (status === undefined || status.size <= limitBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file, 0);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
