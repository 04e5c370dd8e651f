import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Jest's global setup: the name of a directory for the run (whoever needs it makes it), and a janitor that outlives
 * the run by a moment. The directory lists the servers that tests start. When this process closes its pipe, at the
 * end of the run or by dying, the janitor stops them and removes the directory.
 */
export default function setUp() {
  const directory = join(tmpdir(), `store-sync-test-${randomBytes(8).toString('hex')}`);
  const janitor = spawn(
    process.execPath,
    [fileURLToPath(new URL('janitor.mjs', import.meta.url)), directory],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  janitor.unref();
  process.env['STORE_SYNC_TEST_RUN'] = directory;
  globalThis.storeSyncJanitor = janitor;
}
