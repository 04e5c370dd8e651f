/**
 * The contract suite against any service: `npm run contract -- --url https://…/api/v1 --token … [--email … --password
 * …]`. Without --url it runs against a sandbox of its own. A test writes only to products that it created, and
 * deletes them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = 'npm run contract -- [--url BASE_URL --token TOKEN [--email EMAIL --password PASSWORD]]';

const text = { type: 'string' };
let values;
try {
  ({ values } = parseArgs({ options: { url: text, token: text, email: text, password: text } }));
} catch (error) {
  console.error(`${error.message}\n${USAGE}`);
  process.exit(1);
}
if (values.url !== undefined && values.token === undefined) {
  console.error(`--token is missing\n${USAGE}`);
  process.exit(1);
}

const target = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [`CONTRACT_${name.toUpperCase()}`, value]),
);
const root = fileURLToPath(new URL('../..', import.meta.url));
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--verbose',
    'test/contract/catalog.contract.spec.ts',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...target } },
);
const [status] = await once(jest, 'exit');
process.exitCode = status ?? 1;
