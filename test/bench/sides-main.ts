import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { LISTING_PAGE } from './sides.js';

// A store and a catalog service in one process. They do as little as possible, so that the daemon is what is measured. A JSON object
// (`Orders`) on a line of stdin sets their behaviour; "counts" prints and resets the number of requests of each kind.

interface Orders {
  /** The export that the store offers, by shop host. */
  readonly file?: { readonly path: string; readonly products: number; readonly lines: number };
  readonly catalogMs?: number;
  /** The products that the catalog lists, one shop after the other. Each has the number of its group, with ids from 1 on. */
  readonly listed?: readonly Listed[];
}

interface Listed {
  readonly shops: readonly string[];
  readonly products: number;
}

let orders: Orders = {};
const counts = {
  catalog: {} as Record<string, number>,
  writes: 0,
  catalogSeconds: 0,
};
let nextId = 1;
/** The external ids of products that were created here. */
const created = new Map<number, string>();

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

const COST = {
  cost: {
    requestedQueryCost: 10,
    actualQueryCost: 10,
    throttleStatus: { maximumAvailable: 2_000_000, currentlyAvailable: 2_000_000, restoreRate: 1_000_000 },
  },
};

const store = createServer((request, response) => {
  void serveStore(request, response);
});

async function serveStore(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    const path = orders.file?.path ?? '';
    // The store's file service names the length, too. Without it the body would come in chunks that share buffers.
    const { size } = await stat(path);
    response.writeHead(200, { 'content-type': 'application/jsonl', 'content-length': size });
    createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(response);
    return;
  }
  const { query } = JSON.parse(await bodyOf(request)) as { query: string };
  const operation = /(?:query|mutation) (\w+)/.exec(query)?.[1] ?? '';
  // The bench gives each store the name of its shop for a token.
  const shop = String(request.headers['x-shopify-access-token'] ?? '');
  answerText(response, 200, JSON.stringify({ data: storeData(operation, shop), extensions: COST }));
}

function storeData(operation: string, shop: string): unknown {
  const bulk = 'gid://shopify/BulkOperation/1';
  switch (operation) {
    case 'WhoAmI':
      return {
        currentAppInstallation: { id: 'app', accessScopes: [{ handle: 'write_products' }] },
        shop: { id: 'shop', name: shop, myshopifyDomain: shop },
        publicApiVersions: [],
      };
    case 'BulkRecent':
      return { bulkOperations: { nodes: [] } };
    case 'BulkRun':
      return { bulkOperationRunQuery: { bulkOperation: { id: bulk, status: 'CREATED' }, userErrors: [] } };
    case 'BulkPoll':
      return {
        bulkOperation: {
          id: bulk,
          status: 'COMPLETED',
          errorCode: null,
          query: '',
          objectCount: String(orders.file?.lines ?? 0),
          rootObjectCount: String(orders.file?.products ?? 0),
          fileSize: '1',
          url: `http://127.0.0.1:${String(portOf(store))}/export.jsonl`,
        },
      };
    default:
      throw new Error(`the store of the bench does not know ${operation}`);
  }
}

const catalog = createServer((request, response) => {
  void serveCatalog(request, response);
});

async function serveCatalog(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrived = performance.now();
  const body = await bodyOf(request);
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const asked = `${request.method ?? ''} ${path.replace(/\/\d+\//, '/{id}/')}`;
  // The daemon looks for results generated elsewhere once a minute, whether or not a run goes on.
  const isOfRun = !(request.url ?? '').includes('tasks=');
  if (isOfRun) counts.catalog[asked] = (counts.catalog[asked] ?? 0) + 1;
  if (request.method !== 'GET') counts.writes += 1;
  const text = JSON.stringify(catalogAnswer(request.method ?? '', request.url ?? '', body));
  // The delay includes the time for reading the request and making the answer. Timers have whole milliseconds and fire a little
  // late, so the delay is right on average.
  const restMs = (orders.catalogMs ?? 0) - (performance.now() - arrived);
  if (restMs > 0) await sleep(Math.floor(restMs - 0.25 + Math.random()));
  answerText(response, request.method === 'POST' ? 201 : 200, text);
  if (isOfRun) counts.catalogSeconds += (performance.now() - arrived) / 1000;
}

function listedPage(query: URLSearchParams): object {
  const groups = orders.listed ?? [];
  const products = groups.reduce((sum, group) => sum + group.shops.length * group.products, 0);
  const page = Number(query.get('page') ?? '1');
  const from = (page - 1) * LISTING_PAGE;
  const sorting = query.get('sorting') ?? 'desc';
  const results = Array.from({ length: Math.max(0, Math.min(LISTING_PAGE, products - from)) }, (_, index) => {
    const place = sorting === 'asc' ? from + index : products - 1 - from - index;
    return { id: place + 1, external_id: externalIdAt(place, groups) };
  });
  const next = from + LISTING_PAGE < products ? `?sorting=${sorting}&page=${String(page + 1)}` : null;
  return { count: products, next, previous: null, results };
}

function externalIdAt(place: number, groups: readonly Listed[]): string {
  let before = 0;
  for (const { shops, products } of groups) {
    const inGroup = place - before;
    before += shops.length * products;
    if (place >= before) continue;
    return `shopify:${shops[Math.floor(inGroup / products)] ?? ''}:${String((inGroup % products) + 1)}`;
  }
  throw new Error(`no product is at ${String(place)}`);
}

function catalogAnswer(method: string, url: string, body: string): object {
  const { pathname: path, searchParams } = new URL(url, 'http://catalog');
  const named = /\/products\/(\d+)\/$/.exec(path)?.[1];
  if (method === 'GET' && named !== undefined)
    return {
      id: Number(named),
      external_id: created.get(Number(named)) ?? externalIdAt(Number(named) - 1, orders.listed ?? []),
    };
  if (method === 'GET') return listedPage(searchParams);
  const product = JSON.parse(body) as Record<string, unknown> & { variants?: object[] };
  const id = method === 'POST' ? nextId++ : Number(named ?? 0);
  if (method === 'POST') created.set(id, String(product['external_id']));
  const variants = product.variants?.map((variant, index) => ({ ...variant, id: id * 100 + index }));
  return { ...product, id, ...(variants ? { variants } : {}) };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'counts') {
    process.stdout.write(`counts ${JSON.stringify(counts)}\n`);
    counts.catalog = {};
    counts.writes = 0;
    counts.catalogSeconds = 0;
    return;
  }
  orders = { ...orders, ...(JSON.parse(line) as Orders) };
  process.stdout.write(`taken ${line}\n`);
});

for (const server of [store, catalog]) server.keepAliveTimeout = 60_000;
store.listen(0, '127.0.0.1', () => {
  catalog.listen(0, '127.0.0.1', () => {
    process.stdout.write(`up ${JSON.stringify({ store: portOf(store), catalog: portOf(catalog) })}\n`);
  });
});
