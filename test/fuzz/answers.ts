import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { CatalogClient } from '../../src/catalog/client.js';
import { CodedError } from '../../src/domain/errors.js';
import { close, listen } from '../../src/sandbox/shop-server.js';
import { ShopifyConnector } from '../../src/store/shopify/connector.js';
import { drawn } from '../support/drawn.js';
import { nested, oddJson, oddText, oddValue, product } from './inputs.js';

const SHOP = 'fuzz.myshopify.com';
/** The time limit of each request. */
const REQUEST_MS = 500;
/** A service may ask for any wait. */
const noWait = (): Promise<void> => Promise.resolve();
/** A call repeats a request up to four times, and reads a few pages. */
const CALL_MS = 20_000;
const MOST_ITEMS = 50;
const MOST_PEAK_MB = 600;
/** Made once: 300 MB of blanks, and of empty lists, in less than a megabyte. */
const BOMBS = [Buffer.alloc(300_000_000, ' '), Buffer.from(`[${'[],'.repeat(20_000_000)}[]]`)].map((plain) =>
  gzipSync(plain),
);

/**
 * Asks a catalog service and a store that give hostile answers: too large, too deep, endless, compressed beyond all sizes, of wrong types, cut
 * off, with odd addresses of the next page. Each call has to end in time with a value or with an error that has a code.
 */
export async function tryAnswers(
  seconds: number,
  seed: number,
  log: (line: string) => void,
): Promise<{ readonly count: number; readonly broken: readonly string[] }> {
  const answers = drawn(anyAnswer, seed);
  /** The kind of the last answer, for the report. */
  let last = '';
  const hostile = createServer((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    const { kind, answer } = answers.next().value;
    last = kind;
    answer(response);
  });
  const url = await listen(hostile, 0);
  const catalog = new CatalogClient({
    baseUrl: `${url}/api/v1`,
    auth: { apiToken: 'token' },
    requestsPerSecond: 1000,
    requestTimeoutMs: REQUEST_MS,
    maxThrottleWaitMs: 100,
    sleep: noWait,
  });
  const store = new ShopifyConnector({
    shop: SHOP,
    endpoint: url,
    apiVersion: '2026-10',
    auth: { accessToken: 'token' },
    sleep: noWait,
    limits: { requestTimeoutMs: REQUEST_MS, attempts: 2, throttleWaitMs: 100 },
  });
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'catalog product': () => catalog.getProduct(1),
    'catalog list': () => all(catalog.iterateProducts({})),
    'catalog variants': () => all(catalog.iterateVariants(1)),
    'catalog task': () => catalog.getBackgroundTask('t'),
    'catalog tasks': () => all(catalog.iterateBackgroundTasks()),
    'catalog settings': () => catalog.getWebhookSettings(),
    'store probe': () => store.probe(),
    'store changes': () => all(store.readChanged(new Date(0))),
    'store count': () => store.count(),
    'store products': () => store.readProducts(['gid://shopify/Product/1']),
    'store targets': () => store.readTargets('gid://shopify/Product/1', ['title', 'metafield:a.*']),
    'store whole': () => all(store.readWhole(null, () => Promise.resolve())),
  };
  const names = drawn(fc.constantFrom(...Object.keys(calls)), seed);
  const start = process.memoryUsage().rss;
  let peak = start;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const broken: string[] = [];
  let [count, slowestMs] = [0, 0];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const name = names.next().value;
    const began = performance.now();
    try {
      await calls[name]?.();
    } catch (error) {
      if (!(error instanceof CodedError)) broken.push(`${name}, ${last}: ${String(error).slice(0, 300)}`);
    }
    const ms = performance.now() - began;
    count += 1;
    slowestMs = Math.max(slowestMs, ms);
    if (ms > CALL_MS) broken.push(`${name}, ${last}: took ${ms.toFixed(0)} ms`);
  }
  clearInterval(watch);
  const peakMb = Math.round((peak - start) / 1_000_000);
  if (peakMb > MOST_PEAK_MB) broken.push(`hostile answers took ${String(peakMb)} MB`);
  catalog.close();
  await store.close();
  await close(hostile);
  log(`hostile answers: at most ${String(peakMb)} MB, ${slowestMs.toFixed(0)} ms`);
  return { count, broken };
}

/** A list ends by its own bounds, which are wider than the time for this test. */
async function all(items: AsyncIterable<unknown>): Promise<void> {
  let left = MOST_ITEMS;
  for await (const _item of items) if ((left -= 1) === 0) return;
}

const NEXT = [
  ...['https://evil.example/api/v1/products/', '//evil.example/', 'file:///etc/passwd', 'javascript:1'],
  ...['?page=2', '', ' ', '../../../../', `?${'x'.repeat(20_000)}`, '#a', 'http://[::1'],
];

type Answer = (response: ServerResponse) => void;

function whole(code: number, headers: Readonly<Record<string, string>>, body?: string | Buffer): Answer {
  return (response) => response.writeHead(code, headers).end(body);
}

function json(body: string | Buffer, code = 200): Answer {
  return whole(code, { 'content-type': 'application/json' }, body);
}

const status = fc.constantFrom(200, 200, 200, 201, 204, 400, 404, 429, 500, 503);
const members = Array.from({ length: 200_000 }, (_, at) => `"${String(at)}":1`).join(',');

const ANSWERS: Readonly<Record<string, fc.Arbitrary<Answer>>> = {
  bomb: fc
    .tuple(status, fc.constantFrom(...BOMBS))
    .map(([code, bomb]) => whole(code, { 'content-encoding': 'gzip' }, bomb)),
  'not gzip': fc
    .tuple(fc.constantFrom('gzip', 'br', 'deflate', 'zstd'), oddText)
    .map(([encoding, text]) => whole(200, { 'content-encoding': encoding }, text)),
  deep: fc.constantFrom('{"results":[{"a":'.repeat(10_000), nested('1')).map((text) => json(text)),
  'many members': fc.constant(json(`{"results":[],"data":{${members}}}`)),
  endless: fc.constant((response) => {
    const drip = setInterval(() => response.write(' '.repeat(100_000)), 5);
    response.on('close', () => clearInterval(drip));
  }),
  silent: fc.constant(() => undefined),
  'cut off': fc.constant((response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"results":[');
    setTimeout(() => response.destroy(), 10);
  }),
  redirect: fc.constantFrom(...NEXT.slice(0, 4)).map((location) => whole(302, { location })),
  'odd value': fc.tuple(oddJson(fc.tuple(oddValue)), status).map(([body, code]) => json(body, code)),
  'odd page': oddJson(
    fc.record({ count: fc.nat(1e6), next: fc.constantFrom(...NEXT), results: fc.tuple(product) }),
  ).map((body) => json(body)),
  'same page': fc
    .record({
      count: fc.constant(1e9),
      next: fc.nat(1e9).map((page) => `?page=${String(page)}`),
      results: fc.tuple(product),
    })
    .map((page) => json(JSON.stringify(page))),
  product: oddJson(product).map((body) => json(body)),
  graphql: oddJson(
    fc
      .tuple(fc.option(oddText, { freq: 1 }), fc.nat(2000), fc.nat(2000))
      .map(([error, requested, available]) => ({
        data: {
          shop: { name: 'a', myshopifyDomain: SHOP },
          products: {
            nodes: [{ id: 'gid://shopify/Product/1' }],
            pageInfo: { hasNextPage: true, endCursor: 'a' },
          },
          productsCount: { count: 1, precision: 'EXACT' },
        },
        errors: error === null ? null : [{ message: error, extensions: { code: 'THROTTLED' } }],
        extensions: {
          cost: {
            requestedQueryCost: requested,
            throttleStatus: { maximumAvailable: 2000, currentlyAvailable: available, restoreRate: 1000 },
          },
        },
      })),
  ).map((body) => json(body)),
};

const anyAnswer = fc.oneof(
  ...Object.entries(ANSWERS).map(([kind, answers]) => answers.map((answer) => ({ kind, answer }))),
);
