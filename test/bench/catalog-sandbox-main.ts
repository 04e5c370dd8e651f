import { startCatalogSandbox } from '../../src/sandbox/catalog/index.js';

// `catalog-sandbox-main.ts DATABASE_URL SCHEMA`: the catalog of the sandbox with its defaults, in a process of its own.

const [databaseUrl = '', schema = ''] = process.argv.slice(2);
const catalog = await startCatalogSandbox({ databaseUrl, schema });
const { token } = await catalog.issueApiToken('bench');
process.stdout.write(`up ${JSON.stringify({ url: catalog.baseUrl, token })}\n`);
