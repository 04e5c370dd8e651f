import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { CatalogClient } from '../../../src/catalog/client.js';
import type { CatalogClientOptions } from '../../../src/catalog/client-options.js';

export interface Asked {
  readonly method: string;
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly bearer: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  json(): unknown;
}

export interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes the answer over: for resets, truncation, slowness. */
  readonly raw?: (response: ServerResponse) => void;
}

export type Handler = (asked: Asked) => Reply | Promise<Reply>;

const nothingThere: Handler = () => ({ status: 404, json: { detail: 'Not found.' } });

/** A catalog service that answers whatever the test says, on a port of the system's choosing. */
export class FakeService {
  readonly asked: Asked[] = [];
  private readonly clients: CatalogClient[] = [];
  handler: Handler = nothingThere;

  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch((error: unknown) => {
      // A client that went away in the middle of its request is one of the things under test.
      if (!request.destroyed) throw error;
    });
  });

  /** The one service of a file's tests. */
  static ofFile(): FakeService {
    const service = new FakeService();
    beforeAll(() => new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve)));
    beforeEach(() => service.reset());
    afterAll(() => service.stop());
    return service;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get baseUrl(): string {
    return `${this.origin}/api/v1`;
  }

  /** Forgets what was asked and answered, and closes the clients of the test before. */
  reset(): void {
    this.asked.length = 0;
    this.handler = nothingThere;
    for (const client of this.clients.splice(0)) client.close();
  }

  private async stop(): Promise<void> {
    this.reset();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Paths asked for so far, as `METHOD /path`. */
  lines(): string[] {
    return this.asked.map(({ method, path }) => `${method} ${path}`);
  }

  /** A client of this service that never really waits: sleeping moves its clock. */
  client(options: Partial<CatalogClientOptions> = {}, time = new VirtualTime()): CatalogClient {
    const client = new CatalogClient({
      baseUrl: this.baseUrl,
      auth: { apiToken: 'api-token-1' },
      requestsPerSecond: 1000,
      clock: time.now,
      sleep: time.sleep,
      random: () => 0.5,
      ...options,
    });
    this.clients.push(client);
    return client;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '/', this.origin);
    const text = Buffer.concat(chunks).toString();
    const asked: Asked = {
      method: request.method ?? '',
      path: `${url.pathname.replace(/^\/api\/v1/, '')}${url.search}`,
      query: url.searchParams,
      bearer: request.headers.authorization?.replace(/^Bearer /, ''),
      headers: request.headers,
      text,
      json: () => JSON.parse(text) as unknown,
    };
    this.asked.push(asked);
    const reply = await this.handler(asked);
    if (reply.raw !== undefined) {
      reply.raw(response);
      return;
    }
    const body = reply.json === undefined ? (reply.text ?? '') : JSON.stringify(reply.json);
    response
      .writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
      .end(body);
  }
}

/** A clock that moves only while somebody sleeps. */
export class VirtualTime {
  readonly slept: number[] = [];
  private atMs = Date.parse('2026-03-01T12:00:00Z');

  readonly now = (): Date => new Date(this.atMs);

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.atMs += ms;
    await Promise.resolve();
  };

  advance(ms: number): void {
    this.atMs += ms;
  }

  /** All the time slept, in milliseconds. */
  get total(): number {
    return this.slept.reduce((sum, ms) => sum + ms, 0);
  }
}

/** A text in the form of a JWT. The program does not check its signature. */
export function jwt(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`;
}

export const PRODUCT = {
  id: 7,
  sku: 'SKU-7',
  barcode: '4006381333931',
  mpn: 'M7',
  asin: 'B000000007',
  brand: 'Acme',
  category: 'Shoes > Boots',
  name: 'Boot',
  description: 'A boot',
  url: 'https://shop.example.com/boot',
  html_description: '<p>A boot</p>',
  external_id: 'shopify:example.myshopify.com:7',
  open_attributes: { size: 42, waterproof: true, colours: ['red'] },
  crawl_configuration: { reference_string: 'boot', source_url: 'https://maker.example.com/boot' },
  images: [{ source_url: 'https://cdn.example.com/1.jpg', order: 1 }],
  metadata: { source: { nested: true } },
  product_lists: ['winter'],
  tags_to_update: [1, 2],
  variants: [],
  is_product_model: false,
  created_at: '2026-02-01T10:00:00Z',
  sections: [{ code: 'material', value: 'Leather' }],
};
