import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { errorLine } from '../../domain/errors.js';
import { demoCatalogCsv } from '../../sandbox/demo-catalog/demo-catalog.js';
import { startStoreSandbox } from '../../sandbox/store/index.js';
import { startWooCommerceSandbox } from '../../sandbox/woocommerce/index.js';
import { DEMO_KINDS, type DemoKind } from './demo-shop.js';
import { portOf } from './port-option.js';

// `npm run sandbox:store`: a sandbox store alone, with the products of the demo. That of Shopify has an app that exchanges client
// credentials, that of WooCommerce a key.

const CLIENT_ID = 'sandbox-app';
const OWNER_ONLY = 0o600;
const DEFAULT_PORT = 4100;

interface Options {
  readonly kind: DemoKind;
  readonly port: number;
  readonly secretFile?: string;
}

const { kind, port, secretFile } = new Command('npm run sandbox:store --')
  .description('The sandbox store: a shop to try things out against. It answers until it is stopped.')
  .addOption(new Option('--kind <kind>').choices(DEMO_KINDS).default('shopify'))
  .option('--port <port>', 'where it listens', portOf, DEFAULT_PORT)
  .option('--secret-file <file>', 'writes the secret to a file of the owner, in place of the terminal')
  .parse()
  .opts<Options>();
const secret = `${kind === 'woocommerce' ? 'cs' : 'sandbox'}-${crypto.randomUUID()}`;
try {
  await serve();
} catch (error) {
  process.stderr.write(`The sandbox store could not go on: ${errorLine(error)}\n`);
  process.exitCode = 1;
}

async function serve(): Promise<void> {
  const store = await (kind === 'woocommerce' ? openWooCommerce() : openShopify());
  try {
    if (secretFile !== undefined) writeFileSync(secretFile, `${secret}\n`, { mode: OWNER_ONLY });
    const shown = secretFile === undefined ? secret : `in ${secretFile}`;
    for (const [name, value] of [...store.lines, [store.secret, shown]])
      process.stdout.write(`${String(name).padEnd(14)} ${String(value)}\n`);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    });
  } finally {
    await store.stop();
  }
}

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
