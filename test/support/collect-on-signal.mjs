import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Loaded into a daemon under test by NODE_OPTIONS. On SIGUSR2 it collects all garbage, and writes the memory that remains and the open
// handles by kind into the file that STORE_SYNC_TEST_MEMORY names. V8 collects an idle heap late, so memory in use shows a leak only
// after a collection.

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = process.env['STORE_SYNC_TEST_MEMORY'];
let count = 0;

process.on('SIGUSR2', () => {
  // The first collection calls finalizers, and the second one takes what they released.
  for (let round = 0; round < 2; round += 1)
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  count += 1;
  const handles = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  if (file !== undefined) writeFileSync(file, JSON.stringify({ count, ...process.memoryUsage(), handles }));
});
