import { describe, expect, it } from '@jest/globals';
import { FakeService, PRODUCT } from '../../test/support/catalog-client/fake-service.js';
import { failureOf } from '../../test/support/failure-of.js';
import { walkPages } from './pages.js';

const service = FakeService.ofFile();

const page = (results: unknown[], next: string | null = null) => ({
  count: results.length,
  next,
  previous: null,
  results,
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('requests', () => {
  it('[GEN-01] [GEN-06] every path is below the base URL and keeps its trailing slash', async () => {
    service.handler = ({ path }) =>
      path.startsWith('/background-tasks/t') || path.startsWith('/settings')
        ? { json: { task_id: 't', url: 'https://a.example' } }
        : { json: path.endsWith('/products/7/') ? PRODUCT : page([]) };
    const client = service.client({ baseUrl: `${service.baseUrl}/` });
    await client.listProducts();
    await client.getProduct(7);
    await client.deleteProduct(7);
    await client.listVariants(7);
    await client.generate([{ id: 7, externalId: 'x' }]);
    await client.uploadCsv(Buffer.from('sku\n'), 'a.csv');
    await client.listBackgroundTasks();
    await client.getBackgroundTask('t');
    await client.getWebhookSettings();
    await client.deleteWebhookSettings();
    expect(service.lines()).toEqual([
      'GET /products/',
      'GET /products/7/',
      'DELETE /products/7/',
      'GET /products/7/variants/',
      'POST /products/generate/',
      'POST /products/upload-csv/',
      'GET /background-tasks/',
      'GET /background-tasks/t/',
      'GET /settings/webhooks/',
      'DELETE /settings/webhooks/',
    ]);
  });

  it('[GEN-02] bodies are sent as JSON and JSON is asked for', async () => {
    service.handler = () => ({ json: PRODUCT });
    await service.client().upsertProduct({ name: 'Büste' });
    expect(service.asked[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(service.asked[0]?.json()).toEqual({ name: 'Büste' });
  });

  it('an id cannot leave its place in the path', async () => {
    service.handler = () => ({ json: PRODUCT });
    const client = service.client();
    await client.getProduct('../login?x=1#y');
    expect(service.lines()).toEqual(['GET /products/..%2Flogin%3Fx%3D1%23y/']);
    expect(await failureOf(client.getProduct('..'))).toMatchObject({ code: 'invalid' });
    expect(await failureOf(client.getProduct(''))).toMatchObject({ code: 'invalid' });
    expect(service.asked).toHaveLength(1);
  });

  it('reports every exchange for metrics, with the path’s pattern instead of ids', async () => {
    service.handler = () => ({ status: 404, json: { detail: 'Not found.' } });
    const seen: unknown[] = [];
    const client = service.client({ onRequest: (info) => seen.push(info) });
    await failureOf(client.getProduct(7));
    expect(seen).toEqual([
      {
        operation: 'getProduct',
        method: 'GET',
        path: '/products/{id}/',
        status: 404,
        durationMs: 0,
      },
    ]);
  });
});

it('locale [GEN-04] [LIST-04] [CREATE-09] [GET-02] goes where the interface takes it: list, create and read', async () => {
  service.handler = ({ method, path }) => ({
    json: method === 'GET' && path.startsWith('/products/?') ? page([PRODUCT]) : PRODUCT,
  });
  const client = service.client({ locale: 'de' });
  await client.listProducts();
  await client.upsertProduct({ name: 'a' });
  await client.getProduct(7);
  await client.getProduct(7, { locale: 'fr' });
  await client.updateProduct(7, { name: 'a' });
  await client.replaceProduct(7, { name: 'a' });
  expect(service.asked.map(({ query }) => query.get('locale'))).toEqual(['de', 'de', 'de', 'fr', null, null]);
});

describe('listing products', () => {
  it('[LIST-05] [LIST-08] [LIST-11] [LIST-13] [LIST-14] [LIST-15] [LIST-16] [LIST-17] [LIST-18] every filter is sent by its name', async () => {
    service.handler = () => ({ json: page([]) });
    await service.client().listProducts({
      search: 'a b',
      brand: 'Ac',
      brands: ['Acme, Inc', 'Other'],
      category: 'no_category',
      tag: [3, 4],
      createdAtAfter: '2026-01-01',
      createdAtBefore: '2026-02-01',
      images: false,
      tasks: 'not_generated',
      productList: 'winter',
      sorting: 'asc',
      orderBy: 'task',
    });
    expect(service.asked[0]?.query.toString().replaceAll('&', ' ')).toBe(
      'search=a+b brand=Ac brands=Acme%2C+Inc brands=Other category=no_category tag=3 tag=4 ' +
        'created_at_after=2026-01-01 created_at_before=2026-02-01 images=false tasks=not_generated ' +
        'product_list=winter sorting=asc order_by=task',
    );
  });

  it('[LIST-01] [PROD-06] [PROD-15] [PROD-22] a page holds whole products, and fields nobody named pass through', async () => {
    const rich = { ...PRODUCT, extra: { a: 1 }, images: [{ ...PRODUCT.images[0], width: 5 }] };
    service.handler = () => ({ json: { ...page([rich], null), took_ms: 3 } });
    expect(await service.client().listProducts()).toMatchObject({
      results: [rich],
      next: null,
      previous: null,
      count: 1,
    });
  });

  it('leaves out a malformed product and names it, and walks on over a page of nothing else', async () => {
    const wrong = { id: 2, external_id: 'shopify:a.myshopify.com:2', sku: 7 };
    service.handler = ({ query }) => {
      if (query.get('p') === '3') return { json: page([{ id: 3 }]) };
      if (query.get('p') === '2') return { json: page(['no product'], '?p=3') };
      return { json: { ...page([{ id: 1 }, wrong], '?p=2'), count: 4 } };
    };
    const malformed: unknown[] = [];
    const client = service.client({ onMalformed: (item) => malformed.push(item) });
    expect((await all(client.iterateProducts())).map(({ id }) => id)).toEqual([1, 3]);
    expect(malformed).toEqual([
      {
        operation: 'listProducts',
        id: wrong.external_id,
        problem: expect.stringMatching(/^sku: /),
      },
      { operation: 'listProducts', id: null, problem: expect.any(String) },
    ]);
  });

  it('reports a malformed product of a page once', async () => {
    service.handler = () => ({ json: page([{ id: 1 }, { id: 'x' }], '?p=2') });
    const malformed: unknown[] = [];
    const client = service.client({ onMalformed: (item) => malformed.push(item) });
    const first = await client.listProducts();
    expect(first.next).toBe('?p=2');
    expect(first.results).toEqual([{ id: 1 }]);
    expect(malformed).toHaveLength(1);
  });

  it.each([1, 500])('[LIST-03] [LIST-23] follows absolute next links over pages of %d', async (size) => {
    const ids = Array.from({ length: size * 3 }, (_, index) => index + 1);
    service.handler = ({ query }) => {
      const from = Number(query.get('cursor') ?? 0);
      const next =
        from + size < ids.length ? `${service.baseUrl}/products/?cursor=${String(from + size)}` : null;
      return {
        json: page(
          ids.slice(from, from + size).map((id) => ({ id })),
          next,
        ),
      };
    };
    const found = await all(service.client().iterateProducts());
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(service.asked).toHaveLength(3);
  });

  it('[LIST-23] follows relative next links and those on another path of the same host', async () => {
    service.handler = ({ path }) => {
      if (path === '/products/') return { json: page([{ id: 1 }], '?page=2') };
      if (path === '/products/?page=2') return { json: page([{ id: 2 }], '/elsewhere/v1/items?c=3') };
      return { json: page([{ id: 3 }]) };
    };
    expect((await all(service.client().iterateProducts())).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(service.lines()[2]).toBe('GET /elsewhere/v1/items?c=3');
    expect(service.asked.map(({ bearer }) => bearer)).toEqual(['api-token-1', 'api-token-1', 'api-token-1']);
  });

  it('never follows next to another host, where the token would go with it', async () => {
    service.handler = () => ({ json: page([{ id: 1 }], 'https://evil.example/api/v1/products/?page=2') });
    const error = await failureOf(all(service.client().iterateProducts()));
    expect(error).toMatchObject({ code: 'misconfigured' });
    expect(service.asked).toHaveLength(1);
  });

  it('ends at a next that was followed before, and at an empty page', async () => {
    service.handler = () => ({ json: page([{ id: 1 }], `${service.baseUrl}/products/`) });
    expect(await all(service.client().iterateProducts())).toHaveLength(1);
    service.handler = ({ query }) => ({
      json: query.has('p') ? page([], '?p=3') : page([{ id: 1 }], '?p=2'),
    });
    expect(await all(service.client().iterateProducts())).toHaveLength(1);
    expect(service.asked).toHaveLength(3);
  });

  it('a walk that is cut short by a vanished page fails instead of looking complete', async () => {
    service.handler = ({ query }) =>
      query.has('p')
        ? { status: 404, json: { detail: 'Invalid page.' } }
        : { json: page([{ id: 1 }], '?p=2') };
    expect(await failureOf(all(service.client().iterateProducts()))).toMatchObject({ code: 'transient' });
  });

  const pageOf = (query: URLSearchParams) => Number(query.get('p') ?? 0);
  it.each([
    ['the same page at ever new addresses', () => 1, (p: number) => `?p=${String(p + 1)}`, 2],
    ['the first page again', (p: number) => p % 3, (p: number) => `?p=${String(p + 1)}`, 4],
    ['a growing address', (p: number) => p, (p: number) => `?p=${String(p + 1)}&x=${'x'.repeat(9_000)}`, 1],
    ['more than the service counts', (p: number) => p, (p: number) => `?p=${String(p + 1)}`, 30],
  ])('a walk that is led on by %s is stopped', async (_what, id, next, most) => {
    service.handler = ({ query }) => ({
      json: page([{ id: id(pageOf(query)) }], next(pageOf(query))),
    });
    expect(await failureOf(all(service.client().iterateProducts()))).toMatchObject({ code: 'misconfigured' });
    expect(service.asked.length).toBeLessThanOrEqual(most);
  });

  it('a walk without a count that never ends is stopped', async () => {
    let pages = 0;
    const walk = walkPages({
      firstUrl: new URL('https://a.example/?p=0'),
      fetch: () =>
        Promise.resolve({ results: [], next: `?p=${String(++pages)}`, previous: null, count: null }),
      resolve: (next, current) => new URL(next, current),
    });
    expect(await failureOf(all(walk))).toMatchObject({ code: 'misconfigured' });
    expect(pages).toBe(100_000);
  });

  it('asks for large pages, and goes without where the service refuses that', async () => {
    service.handler = ({ query }) =>
      query.has('page_size')
        ? { status: 400, json: { page_size: ['Unknown.'] } }
        : { json: page([{ id: 1 }]) };
    const client = service.client();
    for (let walk = 0; walk < 2; walk += 1) {
      const found = await all(client.productPages({ pageSize: 250 }));
      expect(found.map(({ results }) => results.map(({ id }) => id))).toEqual([[1]]);
    }
    expect(service.lines()).toEqual(['GET /products/?page_size=250', 'GET /products/', 'GET /products/']);
  });

  it('goes on from a first page that was read before, and reads it no second time', async () => {
    service.handler = ({ query }) => ({
      json: query.has('p') ? page([{ id: 2 }]) : page([{ id: 1 }], '?p=2'),
    });
    const client = service.client();
    const first = await client.listProducts();
    const pages = await all(client.productPages({}, first));
    expect(pages.map(({ results }) => results.map(({ id }) => id))).toEqual([[1], [2]]);
    expect(service.lines()).toEqual(['GET /products/', 'GET /products/?p=2']);
  });
});

describe('creating and changing products', () => {
  it.each([200, 201, 202])(
    '[CREATE-01] [CREATE-02] [CREATE-08] [CREATE-14] distinguishes the outcomes by the body, with %d for all of them',
    async (status) => {
      const client = service.client();
      service.handler = () => ({ status, json: PRODUCT });
      expect(await client.upsertProduct({ external_id: 'x' })).toEqual({ kind: 'product', product: PRODUCT });
      service.handler = () => ({ status, json: { background_task_id: 77, note: 'later' } });
      expect(await client.upsertProduct({ variants: [{ sku: 'a' }] })).toEqual({
        kind: 'background',
        taskId: '77',
      });
      service.handler = () => ({ status, json: { background_task_id: 'b-1' } });
      expect(await client.upsertProduct({ variants: [] })).toEqual({ kind: 'background', taskId: 'b-1' });
      service.handler = () => ({ status, json: { ...PRODUCT, background_task_id: null } });
      expect(await client.upsertProduct({ name: 'a' })).toMatchObject({ kind: 'product' });
    },
  );

  it('[PUT-01] [PUT-02] [PATCH-01] [PATCH-02] [GET-01] replaces, changes and reads by id, sending the named fields alone', async () => {
    service.handler = () => ({ json: PRODUCT });
    const client = service.client();
    expect(await client.getProduct('7')).toEqual(PRODUCT);
    expect(await client.replaceProduct(7, { sku: 'a', images: [] })).toEqual(PRODUCT);
    expect(await client.updateProduct(7, { name: 'b', url: null })).toEqual(PRODUCT);
    expect(service.lines()).toEqual(['GET /products/7/', 'PUT /products/7/', 'PATCH /products/7/']);
    expect(service.asked.slice(1).map((asked) => asked.json())).toEqual([
      { sku: 'a', images: [] },
      { name: 'b', url: null },
    ]);
  });

  it('[DELETE-01] [DELETE-02] deletes by the assumed call, whatever 2xx it answers, and reports an unknown product', async () => {
    const client = service.client();
    for (const reply of [{ status: 204 }, { status: 200, json: {} }, { status: 202, text: 'ok' }]) {
      service.handler = () => reply;
      await client.deleteProduct(7);
    }
    service.handler = () => ({ status: 404, json: { detail: 'Not found.' } });
    expect(await failureOf(client.deleteProduct(7))).toMatchObject({ code: 'not_found', status: 404 });
  });

  it('deletes by the configured call', async () => {
    service.handler = () => ({ status: 200 });
    const assumptions = { deleteProduct: { method: 'POST', path: '/products/{id}/remove/' } } as const;
    await service.client({ assumptions }).deleteProduct(7);
    expect(service.lines()).toEqual(['POST /products/7/remove/']);
  });

  it('[VAR-01] lists variants, from a page or a bare array', async () => {
    const client = service.client();
    service.handler = ({ query }) => ({
      json: query.has('p') ? page([{ id: 2 }]) : page([{ sku: 'no id', extra: 1 }], '?p=2'),
    });
    expect(await all(client.iterateVariants(7))).toEqual([{ sku: 'no id', extra: 1 }, { id: 2 }]);
    service.handler = () => ({ json: [{ id: 1, variants: [{ id: 2 }] }] });
    expect((await client.listVariants(7)).results).toEqual([{ id: 1, variants: [{ id: 2 }] }]);
    expect(await all(client.iterateVariants(7))).toHaveLength(1);
  });

  it('keys that would reach a prototype are taken out of answers, at every depth', async () => {
    const text =
      '{"id":1,"__proto__":{"admin":true},"metadata":{"constructor":{"prototype":{"x":1}},"ok":null}}';
    service.handler = () => ({ text });
    const product = await service.client().getProduct(1);
    expect(JSON.parse(JSON.stringify(product))).toEqual({ id: 1, metadata: { ok: null } });
    expect(Object.keys(product)).not.toContain('__proto__');
    expect((product as Record<string, unknown>)['admin']).toBeUndefined();
  });
});
