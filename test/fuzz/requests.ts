import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { signed } from '../support/signed-delivery.js';
import { API_CONTROLLERS } from '../../src/api/controllers.js';
import { openApiDocument } from '../../src/api/openapi.js';
import type { World } from '../support/e2e-world.js';
import { TASK_ID, delivery, mostly, oddJson, oddText, oddValue, storeEvent, weighted } from './inputs.js';

export interface FuzzRequest {
  readonly kind: string;
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
  ...['limit', 'offset', 'cursor', 'order', 'state', 'store', 'externalId', 'kind', 'search', 'content'],
  ...['sort', 'outcome', 'workspace', 'run', 'field', 'gate', 'day', 'from', 'to', 'since', 'full', 'at'],
  ...['page', 'actor', 'fate'],
];

/** Makes a request that the daemon has not seen yet, by its number. */
export type Draft = (number: number) => FuzzRequest;

/** The text without signs that a header cannot hold. */
const headerText = oddText.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 4000));
const id = fc.constantFrom(
  ...['1', 'main', 'shopify:main.myshopify.com:1', '00000000-0000-0000-0000-000000000000'],
);
/** A part of a path or query: encoded, now and then wrongly. */
const part = fc
  .tuple(weighted([3, id], [7, oddText.map((text) => text.slice(0, 1500))]), mostly(true, fc.constant(false)))
  .map(([text, isEncoded]) =>
    isEncoded ? encodeURIComponent(text.toWellFormed()) : text.replaceAll(/[^\x21-\x7e]|[#?]/g, ''),
  );

/** Requests of each kind that a client with or without a secret may send to the daemon. */
export function drafts(world: World): fc.Arbitrary<Draft> {
  return fc.oneof(deliveries(world.webhookSecret), storeEvents, api(world.adminToken));
}

function deliveries(webhookSecret: string): fc.Arbitrary<Draft> {
  return fc
    .record({
      name: mostly('default', part),
      type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=klingon'),
      secret: mostly(webhookSecret, fc.constant('another')),
      oddTimestamp: mostly<string | null>(null, headerText),
      oddSignature: mostly<string | null>(null, headerText),
      json: oddJson(delivery),
    })
    .map(({ name, type, secret, oddTimestamp, oddSignature, json }) => (number) => {
      const body = Buffer.from(json.toString('latin1').replace(TASK_ID, `fuzz-${String(number)}`), 'latin1');
      return {
        kind: 'deliveries',
        method: 'POST',
        path: `/webhooks/catalog/${name}`,
        headers: {
          ...signed(body, secret),
          'content-type': type,
          ...(oddTimestamp === null ? {} : { 'x-webhook-timestamp': oddTimestamp }),
          ...(oddSignature === null ? {} : { 'x-webhook-signature': oddSignature }),
        },
        body,
      };
    });
}

const storeEvents: fc.Arbitrary<Draft> = fc
  .record({
    name: mostly('main', part),
    topic: fc.oneof(fc.constantFrom('products/update', 'products/create', 'products/delete'), headerText),
    secret: mostly(STORE_SECRET, fc.constant('another')),
    event: fc.oneof(fc.nat(999).map(String), headerText),
    webhook: fc.nat(99_999).map(String),
    body: oddJson(storeEvent),
  })
  .map(({ name, topic, secret, event, webhook, body }) => () => ({
    kind: 'store events',
    method: 'POST',
    path: `/webhooks/shopify/${name}`,
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
      'x-shopify-event-id': event,
      'x-shopify-webhook-id': webhook,
      'x-shopify-shop-domain': 'main.myshopify.com',
    },
    body,
  }));

function api(adminToken: string): fc.Arbitrary<Draft> {
  const authorization = mostly(adminToken, headerText).map((token) => `Bearer ${token}`);
  const command = fc.record({ full: fc.constant(true), ids: fc.tuple(oddText) });
  const reads = fc.record({
    method: fc.constant('GET'),
    path: address(READS),
    headers: fc.record({ authorization }),
  });
  const writes = fc.record({
    method: fc.constant('POST'),
    path: address(WRITES),
    headers: fc.record({ authorization, 'content-type': fc.constant('application/json') }),
    body: oddJson(fc.oneof(command, oddValue)),
  });
  return weighted<Omit<FuzzRequest, 'kind'>>([3, reads], [2, writes]).map((request) => () => ({
    kind: 'api',
    ...request,
  }));
}

/** One of the paths with a part in place of each X, and a query. */
function address(paths: readonly string[]): fc.Arbitrary<string> {
  const path = fc
    .constantFrom(...paths)
    .chain((form) =>
      fc.tuple(...form.split(/(X)/).map((piece) => (piece === 'X' ? part : fc.constant(piece)))),
    );
  const query = fc.array(fc.tuple(fc.constantFrom(...PARAMETERS), part), { maxLength: 3 });
  return fc.tuple(path, query).map(([pieces, pairs]) => {
    const text = pairs.map((pair) => pair.join('=')).join('&');
    return pieces.join('') + (text === '' ? '' : `?${text}`);
  });
}
