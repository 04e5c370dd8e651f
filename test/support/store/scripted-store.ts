import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from '@jest/globals';
import { z } from 'zod';
import type { ProductSnapshot } from '../../../src/domain/snapshot.js';
import type { SourceProduct } from '../../../src/domain/store-port.js';
import { ShopifyConnector } from '../../../src/store/shopify/connector.js';
import type { ShopifyOptions } from '../../../src/store/shopify/options.js';

/** A call as the store received it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Name of the GraphQL operation; empty for anything else. */
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** How many calls of the same operation (or path) came before. */
  readonly earlier: number;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly json?: unknown;
  readonly text?: string;
  /** Cut the connection: before any answer, or after so many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** Send so many bytes of the body and then nothing more. */
  readonly stallAfterBytes?: number;
  /** When this resolves, the rest of a stalled body is sent, or the connection is cut. */
  readonly rest?: Promise<'send' | 'cut'>;
  /** Takes the answer over. */
  readonly raw?: (response: ServerResponse) => void;
  /** Called when the answer was sent whole, or when the connection ended before. */
  readonly closed?: (wasSent: boolean) => void;
}

export type Script = (call: Call) => Reply;

const graphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).default({}),
});

/** A store with scripted responses. */
export class ScriptedStore {
  readonly calls: Call[] = [];
  private script: Script = () => ({ status: 500 });
  private server: Server | undefined;

  /** The one store of a file's tests. It is new for each test. */
  static forEachTest(): ScriptedStore {
    const store = new ScriptedStore();
    beforeEach(() => store.start());
    afterEach(() => store.stop());
    return store;
  }

  static async started(): Promise<ScriptedStore> {
    const store = new ScriptedStore();
    await store.start();
    return store;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server?.address() as AddressInfo).port)}`;
  }

  answerWith(script: Script): void {
    this.script = script;
  }

  /** These answers come in turn. A further call is answered with 500. */
  answerInTurn(...replies: readonly Reply[]): void {
    let next = 0;
    this.script = () => replies[next++] ?? { status: 500 };
  }

  /** A new connector of this store, in its own time. */
  connector(options: Partial<ShopifyOptions> = {}): ShopifyConnector {
    return connect(this.url, options).connector;
  }

  parts(options: Partial<ShopifyOptions> = {}): ShopifyConnector['parts'] {
    return this.connector(options).parts;
  }

  operations(): string[] {
    return this.calls.map(({ operation }) => operation);
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private async start(): Promise<void> {
    this.calls.length = 0;
    this.script = () => ({ status: 500 });
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        this.answer(method, url, headers, Buffer.concat(chunks).toString(), response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.server = server;
  }

  private answer(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body: string,
    response: ServerResponse,
  ): void {
    const parsed = path.endsWith('/graphql.json') ? graphqlBody.parse(JSON.parse(body)) : null;
    const operation = /(?:query|mutation) (\w+)/.exec(parsed?.query ?? '')?.[1] ?? '';
    const earlier = this.calls.filter((call) => call.operation === operation && call.path === path).length;
    const call: Call = {
      method,
      path,
      headers,
      body,
      operation,
      variables: parsed?.variables ?? {},
      earlier,
    };
    this.calls.push(call);
    send(this.script(call), response);
  }
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply.raw !== undefined) {
    reply.raw(response);
    return;
  }
  const body = Buffer.from(reply.text ?? JSON.stringify(reply.json ?? {}));
  const type = reply.text === undefined ? 'application/json' : 'text/plain';
  if (reply.cutAfterBytes === 0) {
    response.destroy();
    return;
  }
  // Its clock is told only where a test tells it.
  response.sendDate = false;
  response.writeHead(reply.status ?? 200, {
    'content-type': type,
    'content-length': String(body.length),
    ...reply.headers,
  });
  response.on('close', () => reply.closed?.(response.writableFinished));
  if (reply.stallAfterBytes !== undefined) {
    const { stallAfterBytes } = reply;
    response.write(body.subarray(0, stallAfterBytes));
    void reply.rest?.then((what) =>
      what === 'send' ? response.end(body.subarray(stallAfterBytes)) : response.destroy(),
    );
  } else if (reply.cutAfterBytes === undefined) response.end(body);
  else response.write(body.subarray(0, reply.cutAfterBytes), () => response.destroy());
}

export interface Bucket {
  readonly requested?: number;
  readonly actual?: number | null;
  readonly available?: number;
}

export function cost({ requested = 10, actual = 10, available = 1_900 }: Bucket = {}): object {
  return {
    requestedQueryCost: requested,
    actualQueryCost: actual,
    throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: available, restoreRate: 100 },
  };
}

/** A good answer. */
export function data(value: unknown, extensions: object = {}): Reply {
  return {
    headers: { 'x-shopify-api-version': '2026-10', 'x-request-id': 'req-1' },
    json: { data: value, extensions: { cost: cost(), ...extensions } },
  };
}

/** Status 200 and a top-level error. */
export function refusal(code: string | undefined, message = 'refused', bucket: Bucket = {}): Reply {
  const extensions = code === undefined ? {} : { extensions: { code } };
  return {
    json: { errors: [{ message, ...extensions }], extensions: { cost: cost({ actual: null, ...bucket }) } },
  };
}

export const CANARY = 'shpat_canary0123456789abcdef';

/** The calls to `url`. Its time is its own: sleeping takes none, moves the clock and is noted in `slept`. */
export function connect(
  url: string,
  options: Partial<ShopifyOptions> = {},
): { connector: ShopifyConnector; slept: number[]; advance: (ms: number) => void } {
  let time = Date.parse('2026-11-20T12:00:00Z');
  const slept: number[] = [];
  const connector = new ShopifyConnector({
    shop: 'demo-store.myshopify.com',
    endpoint: url,
    auth: { accessToken: CANARY },
    apiVersion: '2026-10',
    clock: () => new Date(time),
    sleep: (ms) => {
      slept.push(ms);
      time += ms;
      return Promise.resolve();
    },
    random: () => 1,
    ...options,
  });
  return { connector, slept, advance: (ms) => (time += ms) };
}

/** What a store says of itself. */
export const SHOP = {
  currentAppInstallation: { accessScopes: [{ handle: 'read_products' }, { handle: 'write_products' }] },
  shop: { name: 'Demo', myshopifyDomain: 'Demo-Store.myshopify.com' },
  publicApiVersions: [{ handle: '2026-10', supported: true }],
};

/** All products of an export, parsed. Each batch is parsed before the next one is requested. */
export async function snapshots(stream: AsyncIterable<readonly SourceProduct[]>): Promise<ProductSnapshot[]> {
  const all: ProductSnapshot[] = [];
  for await (const batch of stream) all.push(...batch.map((product) => product.snapshot()));
  return all;
}

export async function collect<T>(stream: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of stream) all.push(...batch);
  return all;
}
