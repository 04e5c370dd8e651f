import { afterEach, describe, expect, it } from '@jest/globals';
import type { RunningStoreSandbox } from './index.js';
import {
  TestClock,
  call,
  csv,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';

const SEARCH = 'query S($query: String) { products(first: 50, query: $query) { nodes { handle } } }';

interface Found {
  readonly products: {
    readonly nodes: readonly { readonly handle: string }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

async function handles(store: RunningStoreSandbox, query: string): Promise<string[]> {
  const { body } = await call<Found>(store, SEARCH, { query });
  return body.data.products.nodes.map((node) => node.handle);
}

async function shop(clock?: TestClock): Promise<RunningStoreSandbox> {
  const store = await sandbox(clock ? { clock: clock.now } : {});
  store.loadCsv(
    csv(
      {
        Handle: 'a',
        Title: 'Red Wool Hat',
        Vendor: 'Norrby',
        Tags: 'wool, Sale',
        Status: 'active',
        'Variant SKU': 'HAT-1',
        'Variant Price': '10',
      },
      {
        Handle: 'b',
        Title: 'Blue Hat',
        Vendor: 'Norrby',
        Tags: 'cotton',
        Status: 'draft',
        'Variant SKU': 'HAT-2',
        'Variant Price': '20',
      },
      {
        Handle: 'c',
        Title: 'Blue Scarf',
        Vendor: 'Brume',
        Tags: 'wool',
        Status: 'archived',
        'Variant Barcode': '4006381333931',
        'Variant Price': '30',
      },
      {
        Handle: 'd',
        Title: 'Glove',
        Vendor: 'Brume',
        Tags: 'Summer Sale',
        Status: 'unlisted',
        'Variant Price': '40',
      },
    ),
  );
  return store;
}

afterEach(stopSandboxes);

describe('a product search', () => {
  it.each([
    ['', 'abcd'],
    ['status:active', 'a'],
    ['status:active,draft,archived,unlisted', 'abcd'],
    ['status:ACTIVE OR status:draft', 'ab'],
    ['-status:active', 'bcd'],
    ['NOT status:active', 'bcd'],
    ['tag:wool', 'ac'],
    ["tag:'summer sale'", 'd'],
    ['tag:sum*', 'd'],
    ['vendor:norrby', 'ab'],
    ['sku:HAT-2', 'b'],
    ['sku:hat*', 'ab'],
    ['barcode:4006381333931', 'c'],
    ['title:"blue hat"', 'b'],
    ['id:8000000000002', 'b'],
    ["id:'gid://shopify/Product/8000000000002'", 'b'],
    ['id:>8000000000002', 'cd'],
    ['vendor:norrby OR vendor:brume tag:wool', 'ac'],
    ['tag:wool AND vendor:brume', 'c'],
    ['tag:wool OR', 'ac'],
  ])('%s finds %s', async (query, expected) => {
    expect((await handles(await shop(), query)).join('')).toBe(expected);
  });

  it('ignores an unknown field, finds everything, and says so in the extensions alone', async () => {
    const { body } = await call<{ some: Found['products'] }>(
      await shop(),
      `{ some: products(first: 9, query: "colour:red tag:wool") { nodes { handle } } }`,
    );
    expect(body.data.some.nodes).toHaveLength(2);
    expect(body.errors).toBeUndefined();
    const warning = {
      field: 'colour',
      message: 'Invalid search field for this query.',
      code: 'invalid_field',
    };
    expect(body.extensions?.search).toEqual([
      expect.objectContaining({ path: ['some'], warnings: [warning] }),
    ]);
    expect(await handles(await shop(), 'colour:red')).toHaveLength(4);
  });

  it('finds nothing for a value that the field does not accept', async () => {
    const { body } = await call<Found>(await shop(), SEARCH, { query: 'status:sold' });
    expect(body.data.products.nodes).toEqual([]);
    expect(body.extensions?.search?.[0]?.warnings).toEqual([
      { field: 'status', message: 'Input `sold` is not an accepted value.', code: 'invalid_value' },
    ]);
  });

  it('warns of nothing where nothing is wrong', async () => {
    const { body } = await call<Found>(await shop(), SEARCH, {
      query: "updated_at:>='2026-01-01T00:00:00Z' status:active",
    });
    expect(body.extensions?.search).toBeUndefined();
  });

  it('cuts an unquoted time at its first colon and reads it in the zone of the shop', async () => {
    const clock = new TestClock(Date.parse('2026-11-19T03:00:00Z'));
    const store = await shop(clock);
    const query = 'updated_at:>=2026-11-19T00:00:00Z';
    expect(await handles(store, query)).toEqual([]);
    expect(await handles(store, "updated_at:>='2026-11-19T00:00:00Z'")).toHaveLength(4);
    const { body } = await call<Found>(store, SEARCH, { query });
    expect(body.extensions?.search?.[0]?.warnings).toMatchObject([{ field: '00', code: 'invalid_field' }]);
  });

  it('refuses what the sandbox does not know rather than finding the wrong products', async () => {
    const { body } = await call<Found>(await shop(), SEARCH, { query: '(tag:wool)' });
    expect(body.errors?.[0]?.message).toContain('parentheses');
  });

  it('lags behind writes, while look-ups by id are current', async () => {
    const clock = new TestClock();
    const store = await sandbox({ clock: clock.now, searchLagMs: 5000 });
    const [product] = store.loadCsv(productsCsv(1));
    expect(await handles(store, '')).toEqual([]);
    clock.advance(5000);
    store.products.merchantEdit(product!.id, { tags: ['fresh'] });
    expect(await handles(store, 'tag:fresh')).toEqual([]);
    expect(await handles(store, '')).toEqual(['product-1']);
    const { body } = await call<{ product: { tags: string[] } }>(
      store,
      `{ product(id: "${product!.gid}") { tags } }`,
    );
    expect(body.data.product.tags).toEqual(['fresh']);
    clock.advance(5000);
    expect(await handles(store, 'tag:fresh')).toEqual(['product-1']);
    store.products.delete(product!.id);
    expect(await handles(store, '')).toEqual(['product-1']);
    clock.advance(5000);
    expect(await handles(store, '')).toEqual([]);
  });
});

describe('pages', () => {
  const PAGE = `query P($first: Int!, $after: String, $reverse: Boolean, $key: ProductSortKeys) {
    products(first: $first, after: $after, reverse: $reverse, sortKey: $key) { nodes { handle } pageInfo { hasNextPage endCursor } } }`;

  async function walk(
    store: RunningStoreSandbox,
    variables: Record<string, unknown>,
    between: () => void,
  ): Promise<string[]> {
    const seen: string[] = [];
    const pageAfter = async (after: string | null): Promise<Found['products']> =>
      (await call<Found>(store, PAGE, { first: 3, ...variables, after })).body.data.products;
    let page = await pageAfter(null);
    for (;;) {
      seen.push(...page.nodes.map((node) => node.handle));
      if (!page.pageInfo.hasNextPage) return seen;
      between();
      page = await pageAfter(page.pageInfo.endCursor);
    }
  }

  it.each([
    [{}, [1, 2, 3, 4, 5, 6, 7]],
    [{ reverse: true }, [7, 6, 5, 4, 3, 2, 1]],
    [{ key: 'TITLE' }, [1, 2, 3, 4, 5, 6, 7]],
  ])('give every product once, sorted by %j', async (variables, numbers) => {
    const store = await sandbox();
    store.loadCsv(productsCsv(7));
    expect(await walk(store, variables, () => undefined)).toEqual(numbers.map((n) => `product-${n}`));
  });

  it('sorted by the time of change give a product again that is edited while they are read', async () => {
    const clock = new TestClock();
    const store = await sandbox({ clock: clock.now });
    store.loadCsv(productsCsv(7));
    const first = store.products.byHandle('product-1')!;
    let edited = false;
    const seen = await walk(store, { key: 'UPDATED_AT' }, () => {
      if (edited) return;
      edited = true;
      clock.advance(1000);
      store.products.merchantEdit(first.id, { title: 'Edited' });
    });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 1].map((n) => `product-${n}`));
  });

  it('refuse more than 250 at once and cursors that are none', async () => {
    const store = await sandbox();
    const tooMany = await call(store, PAGE, { first: 251 });
    const noCursor = await call(store, PAGE, { first: 1, after: 'abc' });
    for (const { body } of [tooMany, noCursor]) expect(body.errors?.[0]?.extensions.code).toBe('BAD_REQUEST');
  });
});
