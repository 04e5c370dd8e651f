import { afterEach, describe, expect, it } from '@jest/globals';
import { Throttle } from './throttle.js';
import {
  TestClock,
  call,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';

afterEach(stopSandboxes);

describe('the cost bucket', () => {
  it('gives what it holds, and restores by the second up to its capacity', () => {
    const clock = new TestClock();
    const bucket = new Throttle({ capacity: 200, restoreRate: 50 }, clock.now);
    expect(bucket.take(150)).toBe(true);
    expect(bucket.take(51)).toBe(false);
    expect(bucket.status()).toEqual({ maximumAvailable: 200, currentlyAvailable: 50, restoreRate: 50 });
    clock.advance(20);
    expect(bucket.take(51)).toBe(true);
    clock.advance(60_000);
    expect(bucket.status().currentlyAvailable).toBe(200);
  });

  it('takes refunds, but never beyond its capacity', () => {
    const bucket = new Throttle({ capacity: 100, restoreRate: 10 }, new TestClock().now);
    bucket.take(40);
    bucket.refund(15);
    expect(bucket.status().currentlyAvailable).toBe(75);
    bucket.refund(1000);
    expect(bucket.status().currentlyAvailable).toBe(100);
  });
});

describe('costs', () => {
  it.each([
    ['{ products(first: 250) { nodes { id title tags } } }', 13],
    ['{ products(first: 250) { edges { node { id title tags } } } }', 13],
    ['{ products(first: 250) { nodes { id } edges { node { id } } } }', 24],
    ['{ products(first: 1) { nodes { id } } }', 3],
    ['{ products(first: 5) { nodes { id } pageInfo { hasNextPage } } }', 5],
    ['{ products(first: 5) { nodes { id seo { title } } } }', 8],
    ['{ nodes(ids: ["gid://shopify/Product/1", "gid://shopify/Product/2"]) { id } }', 1],
    ['{ productsCount { count } }', 10],
    ['{ product(id: "gid://shopify/Product/1") { id variantsCount { count } } }', 2],
    ['{ bulkOperation(id: "gid://shopify/BulkOperation/1") { id } }', 1],
    ['mutation { productUpdate(product: { title: "x" }) { product { id } userErrors { message } } }', 10],
    [
      'mutation { productUpdate(product: { title: "x" }) { product { id seo { title } } userErrors { message } } }',
      11,
    ],
  ])('%s asks for %d points', async (query, requested) => {
    const { body } = await call(await sandbox(), query);
    expect(body.extensions?.cost.requestedQueryCost).toBe(requested);
  });

  it('are refunded for what an answer did not hold', async () => {
    const store = await sandbox({ throttle: { capacity: 1000 }, clock: new TestClock().now });
    store.loadCsv(productsCsv(2));
    const { body } = await call(store, '{ products(first: 250) { nodes { id } } }');
    expect(body.extensions?.cost).toEqual({
      requestedQueryCost: 13,
      actualQueryCost: 3,
      throttleStatus: { maximumAvailable: 1000, currentlyAvailable: 997, restoreRate: 100 },
    });
  });

  it('above 1000 are refused before anything is taken', async () => {
    const query =
      '{ products(first: 250) { nodes { variants(first: 250) { nodes { metafields(first: 250) { nodes { id } } } } } } }';
    const { body } = await call(await sandbox(), query);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'MAX_COST_EXCEEDED', maxCost: 1000 });
    expect(body.extensions).toBeUndefined();
  });
});

describe('a throttled request', () => {
  const QUERY = '{ products(first: 250) { nodes { id } } }';

  it('is answered 200 THROTTLED without data, changes nothing, and passes once the bucket has refilled', async () => {
    const clock = new TestClock();
    const store = await sandbox({ throttle: { capacity: 20, restoreRate: 10 }, clock: clock.now });
    store.loadCsv(productsCsv(250));
    expect((await call(store, QUERY)).body.data).toBeDefined();
    const { status, body } = await call(store, QUERY);
    expect(status).toBe(200);
    expect(body).toEqual({
      errors: [
        { message: 'Throttled', extensions: { code: 'THROTTLED', documentation: expect.any(String) } },
      ],
      extensions: {
        cost: {
          requestedQueryCost: 13,
          actualQueryCost: null,
          throttleStatus: { maximumAvailable: 20, currentlyAvailable: 7, restoreRate: 10 },
        },
      },
    });
    clock.advance(600);
    expect((await call(store, QUERY)).body.data).toBeDefined();
    expect(store.ledger.requests.map((request) => request.throttled)).toEqual([false, true, false]);
  });

  it('can be asked for', async () => {
    const store = await sandbox();
    store.throttleNext(2, { operation: 'products' });
    const codes = [];
    codes.push((await call(store, '{ shop { id } }')).body.errors);
    for (let count = 0; count < 3; count += 1)
      codes.push((await call(store, QUERY)).body.errors?.[0]?.extensions['code']);
    expect(codes).toEqual([undefined, 'THROTTLED', 'THROTTLED', undefined]);
  });
});

describe('faults', () => {
  it('answer the next requests of an operation with a status, then continue normally', async () => {
    const store = await sandbox();
    store.failNext(429, { retryAfterSeconds: 2 });
    const limited = await call(store, '{ shop { id } }');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2.0']);
    expect((await call(store, '{ shop { id } }')).status).toBe(200);
    store.failNext(502);
    const response = await fetch(`${store.url}/admin/api/2026-10/graphql.json`, {
      method: 'POST',
      headers: { 'x-shopify-access-token': store.accessToken ?? '' },
      body: '{"query":"{ shop { id } }"}',
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
  });

  it.each([
    ['before', 'Product 1'],
    ['after', 'Changed'],
  ] as const)('cut the connection %s the request is carried out', async (when, title) => {
    const store = await sandbox();
    const [product] = store.loadCsv(productsCsv(1));
    store.resetNext({ when, operation: 'productUpdate' });
    const mutation = `mutation { productUpdate(product: { id: "${product!.gid}", title: "Changed" }) { product { id } } }`;
    await expect(call(store, mutation)).rejects.toThrow('fetch failed');
    expect(store.products.get(product!.id)?.title).toBe(title);
    expect(store.ledger.requests.at(-1)?.status).toBeNull();
  });
});
