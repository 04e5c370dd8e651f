import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CatalogClient } from '../../src/catalog/client.js';
import { CodedError } from '../../src/domain/errors.js';
import { ShopifyConnector } from '../../src/store/shopify/connector.js';
import type { Chance } from './chance.js';
import { damaged, delivery, mutated, oddText, oddValue } from './inputs.js';

export interface AnswersTried {
  readonly count: number;
  readonly slowestMs: number;
  /** The highest resident memory, in MB, above that at the start. */
  readonly peakMb: number;
  readonly broken: readonly string[];
}

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
export async function tryAnswers(seconds: number, chance: Chance): Promise<AnswersTried> {
  const hostile = await HostileServer.open(chance);
  const catalog = new CatalogClient({
    baseUrl: `${hostile.url}/api/v1`,
    auth: { apiToken: 'token' },
    requestsPerSecond: 1000,
    requestTimeoutMs: REQUEST_MS,
    maxThrottleWaitMs: 100,
    sleep: noWait,
  });
  const store = new ShopifyConnector({
    shop: SHOP,
    endpoint: hostile.url,
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
  const start = process.memoryUsage().rss;
  let peak = start;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const broken: string[] = [];
  let [count, slowestMs] = [0, 0];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const name = chance.of(Object.keys(calls));
    const began = performance.now();
    try {
      await calls[name]?.();
    } catch (error) {
      if (!(error instanceof CodedError))
        broken.push(`${name}, ${hostile.last}: ${String(error).slice(0, 300)}`);
    }
    const ms = performance.now() - began;
    count += 1;
    slowestMs = Math.max(slowestMs, ms);
    if (ms > CALL_MS) broken.push(`${name}, ${hostile.last}: took ${ms.toFixed(0)} ms`);
  }
  clearInterval(watch);
  const peakMb = Math.round((peak - start) / 1_000_000);
  if (peakMb > MOST_PEAK_MB) broken.push(`hostile answers took ${String(peakMb)} MB`);
  catalog.close();
  await store.close();
  await hostile.close();
  return { count, slowestMs, peakMb, broken };
}

/** A list ends by its own bounds, which are wider than the time for this test. */
async function all(items: AsyncIterable<unknown>): Promise<void> {
  let left = MOST_ITEMS;
  for await (const _item of items) if ((left -= 1) === 0) return;
}

const NEXT = [
  'https://evil.example/api/v1/products/',
  '//evil.example/',
  'file:///etc/passwd',
  'javascript:1',
  '?page=2',
  '',
  ' ',
  '../../../../',
  `?${'x'.repeat(20_000)}`,
  '#a',
  'http://[::1',
];

class HostileServer {
  /** The kind of the last answer, for the report. */
  last = '';
  readonly #server: Server;
  readonly #kinds: Readonly<Record<string, (response: ServerResponse) => void>>;

  static async open(chance: Chance): Promise<HostileServer> {
    const hostile = new HostileServer(chance);
    hostile.#server.listen(0, '127.0.0.1');
    await once(hostile.#server, 'listening');
    return hostile;
  }

  private constructor(private readonly chance: Chance) {
    const json = (response: ServerResponse, text: string | Buffer, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    const status = (): number => chance.of([200, 200, 200, 201, 204, 400, 404, 429, 500, 503]);
    this.#kinds = {
      bomb: (response) => {
        response.writeHead(status(), { 'content-encoding': 'gzip' }).end(chance.of(BOMBS));
      },
      'not gzip': (response) => {
        response
          .writeHead(200, { 'content-encoding': chance.of(['gzip', 'br', 'deflate', 'zstd']) })
          .end(oddText(chance));
      },
      deep: (response) => json(response, '{"results":[{"a":'.repeat(10_000)),
      'many members': (response) =>
        json(
          response,
          `{"results":[],"data":{${Array.from({ length: 200_000 }, (_, at) => `"${String(at)}":1`).join(',')}}}`,
        ),
      endless: (response) => {
        const drip = setInterval(() => response.write(' '.repeat(100_000)), 5);
        response.on('close', () => clearInterval(drip));
      },
      silent: () => undefined,
      'cut off': (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"results":[');
        setTimeout(() => response.destroy(), 10);
      },
      redirect: (response) => {
        response.writeHead(302, { location: chance.of(NEXT.slice(0, 4)) }).end();
      },
      'odd value': (response) => json(response, JSON.stringify([oddValue(chance)]), status()),
      'odd page': (response) =>
        json(
          response,
          JSON.stringify(
            mutated({ count: chance.below(1e6), next: chance.of(NEXT), results: [this.product()] }, chance),
          ),
        ),
      'same page': (response) =>
        json(
          response,
          JSON.stringify({
            count: 1e9,
            next: `?page=${String(chance.below(1e9))}`,
            results: [this.product()],
          }),
        ),
      product: (response) => json(response, damaged(JSON.stringify(mutated(this.product(), chance)), chance)),
      graphql: (response) =>
        json(
          response,
          JSON.stringify(
            mutated(
              {
                data: {
                  shop: { name: 'a', myshopifyDomain: SHOP },
                  products: {
                    nodes: [{ id: 'gid://shopify/Product/1' }],
                    pageInfo: { hasNextPage: true, endCursor: 'a' },
                  },
                  productsCount: { count: 1, precision: 'EXACT' },
                },
                errors: chance.happens(0.3)
                  ? [{ message: oddText(chance), extensions: { code: 'THROTTLED' } }]
                  : null,
                extensions: {
                  cost: {
                    requestedQueryCost: chance.below(2_000),
                    throttleStatus: {
                      maximumAvailable: 2_000,
                      currentlyAvailable: chance.below(2_000),
                      restoreRate: 1_000,
                    },
                  },
                },
              },
              chance,
            ),
          ),
        ),
    };
    this.#server = createServer((request, response) => {
      request.resume();
      response.on('error', () => undefined);
      this.last = chance.of(Object.keys(this.#kinds));
      this.#kinds[this.last]?.(response);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  private product(): unknown {
    const given = delivery(this.chance, this.chance.below(1000));
    return typeof given === 'object' && given !== null && 'product' in given ? given.product : given;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
