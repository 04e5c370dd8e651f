import { createHmac, randomUUID } from 'node:crypto';
import { startTestShop } from './test-shop.js';
import type { TestShop, TestShopOptions } from './test-shop.js';

export type Json = Readonly<Record<string, unknown>>;

/** What tests look at of a product in an answer. */
export interface ShownProduct {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly variations: readonly number[];
  readonly brands: readonly unknown[];
  readonly attributes: readonly { readonly variation: boolean }[];
  readonly meta_data: readonly { readonly key: string }[];
}

export interface Answer<Body = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly secret?: string;
  /** The address that is signed for; default the one that the shop calls its own. */
  readonly signedFor?: string;
  readonly oauth?: Readonly<Record<string, string>>;
}

const running: TestShop[] = [];

export async function wooSandbox(options: TestShopOptions = {}): Promise<TestShop> {
  const started = await startTestShop(options);
  running.push(started);
  return started;
}

/** For `afterEach`. Fails the test when a sandbox had an internal error. */
export async function stopWooSandboxes(): Promise<void> {
  const stopped = running.splice(0);
  await Promise.all(stopped.map((each) => each.stop()));
  const errors = stopped.flatMap((each) => each.internalErrors);
  if (errors.length > 0) throw new AggregateError(errors, 'the sandbox shop failed by itself');
}

/** One request to `wc/v3`, signed by OAuth 1.0a. A path with a leading slash is taken below `/wp-json`. */
export async function ask<Body = Json>(
  shop: TestShop,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body>> {
  const route = path.startsWith('/') ? `/wp-json${path}` : `/wp-json/wc/v3/${path}`;
  const oauth = {
    oauth_consumer_key: options.key ?? shop.consumerKey,
    oauth_nonce: randomUUID(),
    oauth_signature_method: 'HMAC-SHA256',
    oauth_timestamp: String(Math.floor(shop.shop.now().getTime() / 1000)),
    ...options.oauth,
  };
  const address = `${options.signedFor ?? shop.shop.homeUrl}${route}`;
  const parameters = { ...options.query, ...oauth };
  const signed = {
    ...oauth,
    oauth_signature: sign(method, address, parameters, options.secret ?? shop.consumerSecret),
  };
  return plain(shop, method, route, { ...options, query: { ...options.query, ...signed } });
}

/** One request without a key, to a path of the shop. */
export async function plain<Body = Json>(
  shop: TestShop,
  method: string,
  path: string,
  { query = {}, body, headers = {} }: CallOptions = {},
): Promise<Answer<Body>> {
  const response = await fetch(`${shop.url}${path}?${new URLSearchParams(query).toString()}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : { text }) as Body,
  };
}

/** The value of an `Authorization` header for basic authentication. */
export function basic(key: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
}

function sign(
  method: string,
  address: string,
  parameters: Readonly<Record<string, string>>,
  secret: string,
): string {
  const encoded = (text: string): string =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const pairs = Object.entries(parameters).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const base = `${method}&${encoded(address)}&${encoded(pairs.sort().join('&'))}`;
  return createHmac('sha256', `${secret}&`).update(base).digest('base64');
}
