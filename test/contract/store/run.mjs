/**
 * The contract of the port and the whole loop, against any shop by its address. The suite makes products of its own and removes them;
 * of others it reads only. The catalog service is a sandbox on this machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run e2e:store                                                   against the sandboxes of both kinds
npm run e2e:store -- --kind woocommerce --url URL --key ck_… --secret cs_…
npm run e2e:store -- --kind shopify --url URL --key ACCESS_TOKEN [--shop NAME.myshopify.com] [--secret APP_SECRET]

  --receiver-url URL    the origin under which the shop reaches this machine: also tests events
  --receiver-port PORT  where they are listened to; default: a free one`;

const text = { type: 'string' };
const OPTIONS = {
  kind: text,
  url: text,
  key: text,
  secret: text,
  shop: text,
  'receiver-url': text,
  'receiver-port': text,
};

let values;
try {
  ({ values } = parseArgs({ options: { ...OPTIONS, help: { type: 'boolean', short: 'h' } } }));
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const { kind, url, key, secret } = values;
  if ((kind === undefined) !== (url === undefined)) throw new Error('--kind and --url go together');
  if (kind !== undefined && !['shopify', 'woocommerce'].includes(kind))
    throw new Error(`${kind} is no kind of store`);
  if (url !== undefined && key === undefined) throw new Error('--key is missing');
  if (kind === 'woocommerce' && secret === undefined) throw new Error('--secret is missing');
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exit(1);
}

const shop = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [
    `STORE_${name.toUpperCase().replaceAll('-', '_')}`,
    name === 'url' ? value.replace(/\/$/, '') : value,
  ]),
);
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--verbose',
    '--runInBand',
    '--testTimeout=900000',
    'test/contract/store/store.contract.spec.ts',
    'test/contract/store/loop.contract.spec.ts',
  ],
  {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, ...shop },
  },
);
const [status] = await once(jest, 'exit');
process.exitCode = status ?? 1;
