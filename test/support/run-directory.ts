import { chmodSync, mkdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The directory of this test run, made by the first call; the run's janitor removes it. */
export function runDirectory(): string {
  const directory = process.env['STORE_SYNC_TEST_RUN'];
  if (directory === undefined) throw new Error('no test run: jest.config.mjs lacks its globalSetup');
  mkdirSync(directory, { recursive: true });
  // As root, the database server runs as another user, who must reach its files below.
  chmodSync(directory, 0o755);
  return directory;
}

/**
 * Notes a process for the janitor, which ends it if it still exists after the run. `mark` is a part of its command line,
 * which distinguishes it from another process with the same pid. Returns a function that removes the note.
 */
export async function noteProcess(pid: number, mark: string): Promise<() => Promise<void>> {
  const notes = join(runDirectory(), 'processes');
  await mkdir(notes, { recursive: true });
  const note = join(notes, String(pid));
  await writeFile(note, mark);
  return async () => {
    await rm(note, { force: true });
  };
}
