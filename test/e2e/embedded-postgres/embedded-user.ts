import { createInterface } from 'node:readline';
import { openEmbeddedPostgres } from '../../../src/embedded-postgres/index.js';

// A user of the embedded database in a process of its own. Arguments: dataDir, accounts (comma separated, may be empty).
// Says "url URL" once it is open and "released" at the end, which comes with "release" on stdin.

const [dataDir = '', accounts = ''] = process.argv.slice(2);
const database = await openEmbeddedPostgres({
  dataDir,
  log: (line) => console.log(`log ${line}`),
  ...(accounts === '' ? {} : { accounts: accounts.split(',') }),
});
console.log(`url ${database.url}`);
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  if (line === 'release') input.close();
});
// Also when the test that started it has died.
input.once('close', () => {
  void database.release().then(() => {
    console.log('released');
    process.exit(0);
  });
});
