import { copyFile, stat, truncate } from 'node:fs/promises';

export const LOG_LIMIT_BYTES = 2_000_000;

/**
 * Keeps the server's log bounded: beyond the limit what is there moves to `<file>.1`, of which there is one, and the log starts anew.
 * Copied and cut, since the running server keeps its file open (for appending, so that it goes on at the new end).
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
