import { createHmac } from 'node:crypto';
import { API_CONTROLLERS } from '../../src/api/controllers.js';
import { openApiDocument } from '../../src/api/openapi.js';
import type { World } from '../support/e2e-world.js';
import type { Chance } from './chance.js';
import { damaged, delivery, mutated, oddText, oddValue, storeEvent } from './inputs.js';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export const STORE_SECRET = 'fuzz-store-secret-0123456789';

/** Every route of the API, with X in place of its parameters. */
const ROUTES = Object.entries(openApiDocument(API_CONTROLLERS).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'X') })),
);
const READS: readonly string[] = [
  ...ROUTES.filter(({ method }) => method === 'get').map(({ path }) => path),
  ...['/X', '/api/v1/X', '/docs/X', '/review', '/journal', '/products', '/products/X', '/audit', '/login'],
  ...['/deliveries', '/runs/X', '/write-backs/X', '/write-backs/X/preview/X', '/assets/X'],
];
const WRITES: readonly string[] = [
  ...ROUTES.filter(({ method }) => method === 'post').map(({ path }) => path),
  ...['/login', '/logout', '/write-backs/X/decide', '/deliveries/X/replay'],
];
const PARAMETERS = [
  'limit',
  'offset',
  'cursor',
  'state',
  'store',
  'search',
  'from',
  'to',
  'since',
  'full',
  'at',
  'field',
  'page',
];

/** Requests of each kind that a client with or without a secret may send to the daemon. */
export const REQUESTS: Readonly<
  Record<string, (world: World, chance: Chance, number: number) => FuzzRequest>
> = {
  deliveries: (world, chance, number) => {
    const body = damaged(JSON.stringify(mutated(delivery(chance, number), chance)), chance);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const secret = chance.happens(0.9) ? world.webhookSecret : 'another';
    const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
    return {
      method: 'POST',
      path: chance.happens(0.95) ? '/webhooks/catalog/default' : `/webhooks/catalog/${part(chance)}`,
      headers: {
        'content-type': chance.of(['application/json', 'text/plain', 'application/json; charset=klingon']),
        'x-webhook-timestamp': chance.happens(0.95) ? timestamp : printable(oddText(chance)),
        'x-webhook-signature': chance.happens(0.95) ? `sha256=${signature}` : printable(oddText(chance)),
      },
      body,
    };
  },
  'store events': (_world, chance) => {
    const body = damaged(JSON.stringify(mutated(storeEvent(chance), chance)), chance);
    const signature = createHmac('sha256', chance.happens(0.9) ? STORE_SECRET : 'another')
      .update(body)
      .digest('base64');
    return {
      method: 'POST',
      path: chance.happens(0.95) ? '/webhooks/shopify/main' : `/webhooks/shopify/${part(chance)}`,
      headers: {
        'content-type': 'application/json',
        'x-shopify-topic': chance.of([
          'products/update',
          'products/create',
          'products/delete',
          printable(oddText(chance)),
        ]),
        'x-shopify-hmac-sha256': signature,
        'x-shopify-event-id': chance.happens(0.5)
          ? `event-${String(chance.below(1000))}`
          : printable(oddText(chance)),
        'x-shopify-webhook-id': `webhook-${String(chance.below(100_000))}`,
        'x-shopify-shop-domain': 'main.myshopify.com',
      },
      body,
    };
  },
  api: (world, chance) => {
    const writes = chance.happens(0.4);
    const query = Array.from(
      { length: chance.below(4) },
      () => `${chance.of(PARAMETERS)}=${part(chance)}`,
    ).join('&');
    const path = chance.of(writes ? WRITES : READS).replaceAll('X', () => part(chance));
    const body = writes
      ? Buffer.from(
          JSON.stringify(chance.happens(0.5) ? { full: true, ids: [oddText(chance)] } : oddValue(chance)),
        )
      : undefined;
    return {
      method: writes ? 'POST' : 'GET',
      path: query === '' ? path : `${path}?${query}`,
      headers: {
        authorization: `Bearer ${chance.happens(0.95) ? world.adminToken : printable(oddText(chance))}`,
        ...(writes ? { 'content-type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { body: damaged(body.toString(), chance) }),
    };
  },
};

/** A part of a path or query: encoded, now and then wrongly. */
function part(chance: Chance): string {
  const id = chance.of(['1', 'main', 'shopify:main.myshopify.com:1', '00000000-0000-0000-0000-000000000000']);
  const text = chance.happens(0.3) ? id : oddText(chance).slice(0, 1500);
  return chance.happens(0.9)
    ? encodeURIComponent(text.toWellFormed())
    : text.replaceAll(/[^\x21-\x7e]|[#?]/g, '');
}

/** The text without signs that a header cannot hold. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 4000);
}
