import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { demoCatalogCsv } from '../../sandbox/demo-catalog/demo-catalog.js';
import { startStoreSandbox } from '../../sandbox/store/index.js';
import { startWooCommerceSandbox } from '../../sandbox/woocommerce/index.js';

// `npm run sandbox:store`: a sandbox store alone, with the products of the demo. That of Shopify has an app that exchanges client
// credentials, that of WooCommerce a key.

const CLIENT_ID = 'sandbox-app';
const OWNER_ONLY = 0o600;

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'shopify' },
    port: { type: 'string', default: '4100' },
    'secret-file': { type: 'string' },
  },
});
const port = Number(values.port);
const secret = `${values.kind === 'woocommerce' ? 'cs' : 'sandbox'}-${crypto.randomUUID()}`;
const store = await (values.kind === 'woocommerce' ? openWooCommerce() : openShopify());
const file = values['secret-file'];
if (file !== undefined) writeFileSync(file, `${secret}\n`, { mode: OWNER_ONLY });
for (const [name, value] of [...store.lines, [store.secret, file === undefined ? secret : `in ${file}`]])
  process.stdout.write(`${String(name).padEnd(14)} ${String(value)}\n`);

async function openShopify() {
  const sandbox = await startStoreSandbox({
    port,
    accessToken: null,
    clientId: CLIENT_ID,
    clientSecret: secret,
  });
  sandbox.loadCsv(demoCatalogCsv());
  const lines = [
    ['store', sandbox.shop],
    ['endpoint', sandbox.url],
    ['client ID', CLIENT_ID],
  ];
  return { lines, secret: 'client secret', stop: () => sandbox.stop() };
}

async function openWooCommerce() {
  const consumerKey = `ck_${randomBytes(20).toString('hex')}`;
  const sandbox = await startWooCommerceSandbox({ port, consumerKey, consumerSecret: secret });
  sandbox.loadCsv(demoCatalogCsv());
  const lines = [
    ['url', sandbox.url],
    ['key', consumerKey],
  ];
  return { lines, secret: 'secret', stop: () => sandbox.stop() };
}
await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
await store.stop();
