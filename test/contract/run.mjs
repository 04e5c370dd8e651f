/**
 * The contract suite against any service, known by its URL and its credentials. Without --url it runs against a sandbox of its
 * own. A test writes only to products that it created, and deletes them. The webhook slot is used only when it is free (or with
 * --take-slot), and is restored.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run contract                                    against a sandbox of its own
npm run contract -- --url BASE_URL --token TOKEN    against a service

  --email EMAIL --password PASSWORD   also tests the login
  --narrow-token TOKEN                a token without a permission: also tests 403
  --receiver-url URL                  the origin under which the service reaches the suite's receiver of deliveries
  --receiver-host HOST                where the receiver listens; default 127.0.0.1
  --receiver-port PORT                default: a free one
  --take-slot                         borrow a webhook slot that is in use, and restore it
  --only PATTERN                      only the rules whose id this regular expression finds, such as EVENT|DELIVERY
  --no-generation                     request no generation: it costs credits, about 60 in all
  --generation-path PATH              default /products/generate/
  --locale LOCALE                     a second locale of the workspace; default de
  --wait-seconds N                    how long a generation or a delivery may take; default 60
  --all-retries                       wait ten minutes for every retry of a delivery, not for the first two only`;

const text = { type: 'string' };
const flag = { type: 'boolean' };
const OPTIONS = {
  url: text,
  token: text,
  email: text,
  password: text,
  'narrow-token': text,
  'receiver-url': text,
  'receiver-host': text,
  'receiver-port': text,
  'take-slot': flag,
  only: text,
  'no-generation': flag,
  'generation-path': text,
  locale: text,
  'wait-seconds': text,
  'all-retries': flag,
  help: { ...flag, short: 'h' },
};

let values;
try {
  ({ values } = parseArgs({ options: OPTIONS }));
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  if (values.url !== undefined && values.token === undefined) throw new Error('--token is missing');
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exit(1);
}
if (values.url !== undefined) await mustAnswer(values.url);

const target = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [
    `CONTRACT_${name.toUpperCase().replaceAll('-', '_')}`,
    String(value),
  ]),
);
const root = fileURLToPath(new URL('../..', import.meta.url));
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--verbose',
    '--selectProjects=contract',
    // The retries of a delivery take ten minutes.
    '--testTimeout=900000',
    'test/contract/catalog.contract.spec.ts',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...target } },
);
const [status] = await once(jest, 'exit');
process.exitCode = status ?? 1;

/** Otherwise each rule would wait for a service that is not there until its own time is over. Any answer will do. */
async function mustAnswer(url) {
  try {
    await fetch(url, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    console.error(`${url} does not answer: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
    process.exit(1);
  }
}
