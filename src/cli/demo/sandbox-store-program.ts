import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { demoCatalogCsv } from '../../sandbox/demo-catalog/demo-catalog.js';
import { startStoreSandbox } from '../../sandbox/store/index.js';

// `npm run sandbox:store`: a sandbox store alone, with the products of the demo and an app that exchanges client credentials.

const CLIENT_ID = 'sandbox-app';
const OWNER_ONLY = 0o600;

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4100' }, 'secret-file': { type: 'string' } },
});
const clientSecret = `sandbox-${crypto.randomUUID()}`;
const store = await startStoreSandbox({
  port: Number(values.port),
  accessToken: null,
  clientId: CLIENT_ID,
  clientSecret,
});
store.loadCsv(demoCatalogCsv());
const file = values['secret-file'];
if (file !== undefined) writeFileSync(file, `${clientSecret}\n`, { mode: OWNER_ONLY });
for (const [name, value] of [
  ['store', store.shop],
  ['endpoint', store.url],
  ['client ID', CLIENT_ID],
  ['client secret', file === undefined ? clientSecret : `in ${file}`],
])
  process.stdout.write(`${String(name).padEnd(14)} ${String(value)}\n`);
await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
await store.stop();
