import { afterEach, describe, expect, it } from '@jest/globals';
import {
  TestClock,
  call,
  csv,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';
import type { UserError } from '../../../test/support/sandbox/store-caller.js';
import type { TestStore } from '../../../test/support/sandbox/test-store.js';

const PAGE = `query P($query: String, $first: Int = 50, $after: String, $key: ProductSortKeys) {
  products(query: $query, first: $first, after: $after, sortKey: $key) { nodes { handle } pageInfo { hasNextPage endCursor } } }`;

interface Found {
  readonly products: {
    readonly nodes: readonly { readonly handle: string }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

afterEach(stopSandboxes);

async function handles(store: TestStore, query: string): Promise<string> {
  const { body } = await call<Found>(store, PAGE, { query });
  return body.data.products.nodes.map((node) => node.handle).join('');
}

async function shop(clock = new TestClock()): Promise<TestStore> {
  const store = await sandbox({ clock: clock.now });
  const hat = { Vendor: 'Norrby', 'Variant Price': '10' };
  const other = { Vendor: 'Brume', 'Variant Price': '30' };
  store.loadCsv(
    csv(
      { ...hat, Handle: 'a', Title: 'Red Wool Hat', Tags: 'wool, Sale', 'Variant SKU': 'HAT-1' },
      { ...hat, Handle: 'b', Title: 'Blue Hat', Tags: 'cotton', Status: 'draft', 'Variant SKU': 'HAT-2' },
      { ...other, Handle: 'c', Title: 'Scarf', Tags: 'wool', Status: 'archived', 'Variant Barcode': '4006' },
      { ...other, Handle: 'd', Title: 'Glove', Tags: 'Summer Sale', Status: 'unlisted' },
    ),
  );
  return store;
}

describe('a product search', () => {
  it.each([
    ['', 'abcd'],
    ['status:active,draft,archived,unlisted', 'abcd'],
    ['status:ACTIVE OR status:draft', 'ab'],
    ['-status:active', 'bcd'],
    ["tag:'summer sale'", 'd'],
    ['tag:sum*', 'd'],
    ['vendor:norrby', 'ab'],
    ['sku:HAT-2', 'b'],
    ['barcode:4006', 'c'],
    ['title:"blue hat"', 'b'],
    ["id:'gid://shopify/Product/8000000000002'", 'b'],
    ['id:>8000000000002', 'cd'],
    ['vendor:norrby OR vendor:brume tag:wool', 'ac'],
    ['tag:wool OR', 'ac'],
  ])('%s finds %s', async (query, expected) => {
    expect(await handles(await shop(), query)).toBe(expected);
  });

  it.each([
    ['of an unknown field finds everything', 'colour:red', 4, 'colour', 'invalid_field'],
    ['of a value that is not accepted finds nothing', 'status:sold', 0, 'status', 'invalid_value'],
  ])('%s, and says so in the extensions alone', async (_name, query, count, field, code) => {
    const { body } = await call<Found>(await shop(), PAGE, { query });
    expect(body.data.products.nodes).toHaveLength(count);
    expect(body.errors).toBeUndefined();
    const warnings = [{ field, message: expect.any(String), code }];
    expect(body.extensions?.search).toEqual([expect.objectContaining({ path: ['products'], warnings })]);
  });

  it('cuts an unquoted time at its first colon and reads it in the zone of the shop', async () => {
    const store = await shop(new TestClock(Date.parse('2026-11-19T03:00:00Z')));
    const query = 'updated_at:>=2026-11-19T00:00:00Z';
    expect(await handles(store, query)).toBe('');
    expect(await handles(store, "updated_at:>='2026-11-19T00:00:00Z'")).toBe('abcd');
    const { body } = await call<Found>(store, PAGE, { query });
    expect(body.extensions?.search?.[0]?.warnings).toMatchObject([{ field: '00', code: 'invalid_field' }]);
  });

  it('refuses what the sandbox does not know rather than finding the wrong products', async () => {
    const { body } = await call<Found>(await shop(), PAGE, { query: '(tag:wool)' });
    expect(body.errors?.[0]?.message).toContain('parentheses');
  });
});

it('pages sorted by the time of change give a product again that is edited while they are read', async () => {
  const clock = new TestClock();
  const store = await sandbox({ clock: clock.now });
  store.loadCsv(productsCsv(7));
  const seen: string[] = [];
  for (let after: string | null = null; ;) {
    const variables: object = { first: 3, key: 'UPDATED_AT', after };
    const { products }: Found = (await call<Found>(store, PAGE, { ...variables })).body.data;
    seen.push(...products.nodes.map(({ handle }) => handle));
    if (!products.pageInfo.hasNextPage) break;
    clock.advance(1000);
    if (after === null) store.products.merchantEdit(store.products.list()[0]!.id, { title: 'Edited' });
    after = products.pageInfo.endCursor;
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 1].map((number) => `product-${number}`));
});

describe('access', () => {
  it('is given for client credentials, for a day', async () => {
    const clock = new TestClock();
    const app = { clientId: 'id', clientSecret: 'secret', accessToken: null };
    const store = await sandbox({ ...app, clock: clock.now });
    const exchange = (secret: string): Promise<Response> => {
      const form = { grant_type: 'client_credentials', client_id: 'id', client_secret: secret };
      return fetch(`${store.url}/admin/oauth/access_token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
    };
    expect((await exchange('wrong')).status).toBe(400);
    const { access_token: token } = (await (await exchange('secret')).json()) as { access_token: string };
    expect((await call(store, '{ shop { id } }', {}, { token })).status).toBe(200);
    clock.advance(86_400_000);
    expect((await call(store, '{ shop { id } }', {}, { token })).status).toBe(401);
  });

  it('without a scope is denied for what the scope covers, by name, and the rest is answered', async () => {
    const store = await sandbox({ scopes: ['read_products'] });
    const { body } = await call(store, '{ productsCount { count } shop { id } shopLocales { locale } }');
    expect(body.data).toBeNull();
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'ACCESS_DENIED',
      requiredAccess: expect.stringContaining('read_locales'),
    });
  });
});

describe('costs', () => {
  it.each([
    ['{ products(first: 250) { nodes { id title tags } } }', 13],
    ['{ products(first: 1) { nodes { id } } }', 3],
    ['{ products(first: 5) { nodes { id seo { title } } } }', 8],
    ['{ nodes(ids: ["gid://shopify/Product/1", "gid://shopify/Product/2"]) { id } }', 1],
    ['{ productsCount { count } }', 10],
    ['mutation { productUpdate(product: { title: "x" }) { product { id } userErrors { message } } }', 10],
  ])('%s asks for %d points', async (query, requested) => {
    const { body } = await call(await sandbox(), query);
    expect(body.extensions?.cost.requestedQueryCost).toBe(requested);
  });

  it('above 1000 are refused before anything is taken', async () => {
    const query =
      '{ products(first: 250) { nodes { variants(first: 250) { nodes { metafields(first: 250) { nodes { id } } } } } } }';
    const { body } = await call(await sandbox(), query);
    expect(body.errors?.[0]?.extensions.code).toBe('MAX_COST_EXCEEDED');
  });

  it('that the bucket does not hold are answered THROTTLED until it has refilled; what was not used comes back', async () => {
    const clock = new TestClock();
    const store = await sandbox({ throttle: { capacity: 20, restoreRate: 10 }, clock: clock.now });
    store.loadCsv(productsCsv(250));
    const ask = () => call(store, '{ products(first: 250) { nodes { id } } }');
    expect((await ask()).body.data).toBeDefined();
    const { status, body } = await ask();
    const throttleStatus = { maximumAvailable: 20, currentlyAvailable: 7, restoreRate: 10 };
    expect([status, body]).toEqual([
      200,
      {
        errors: [expect.objectContaining({ message: 'Throttled' })],
        extensions: { cost: { requestedQueryCost: 13, actualQueryCost: null, throttleStatus } },
      },
    ]);
    clock.advance(600);
    expect((await ask()).body.data).toBeDefined();
    clock.advance(60_000);
    const few = await call(store, '{ products(first: 250, query: "sku:SKU-1") { nodes { id } } }');
    expect(few.body.extensions?.cost).toMatchObject({ requestedQueryCost: 13, actualQueryCost: 3 });
  });
});

describe('an export', () => {
  const RUN = `mutation R($query: String!) { bulkOperationRunQuery(query: $query, groupObjects: false) {
    bulkOperation { id status } userErrors { field message code } } }`;

  interface Payload {
    readonly bulkOperation: object | null;
    readonly userErrors: readonly UserError[];
  }

  async function run(store: TestStore, query = '{ products { edges { node { id } } } }'): Promise<Payload> {
    const { body } = await call<{ bulkOperationRunQuery: Payload }>(store, RUN, { query });
    return body.data.bulkOperationRunQuery;
  }

  it('is refused for a text that does not pass the schema, and while five are running', async () => {
    const store = await sandbox({ exportMs: 60_000 });
    for (const query of ['{ products {', '{ products { edges { node { colour } } } }'])
      expect(await run(store, query)).toMatchObject({
        bulkOperation: null,
        userErrors: [{ code: 'INVALID' }],
      });
    for (let count = 0; count < 5; count += 1) await run(store);
    expect((await run(store)).userErrors).toMatchObject([
      { field: null, message: expect.stringContaining('7600000000005'), code: 'OPERATION_IN_PROGRESS' },
    ]);
  });
});
