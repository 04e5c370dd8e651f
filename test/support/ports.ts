import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/runtime/free-port.js';
import { runDirectory } from './run-directory.js';

/**
 * A port of loopback for a server that starts later, or again. No other test of this run gets it, and no outgoing connection does.
 * A server that keeps its port from the start can listen on port 0 instead.
 */
export async function ownPort(): Promise<number> {
  const taken = join(runDirectory(), 'ports');
  await mkdir(taken, { recursive: true });
  const mayTake = (port: number): Promise<boolean> =>
    writeFile(join(taken, String(port)), '', { flag: 'wx' }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
        throw error;
      },
    );
  return freePort({ random: Math.random, mayTake });
}
