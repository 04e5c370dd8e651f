import { describe, expect, it } from '@jest/globals';
import type { SourceProduct } from '../../domain/store-port.js';
import {
  detailNode,
  imageNode,
  metafieldNode,
  page,
  productGid,
  variantNode,
} from '../../../test/support/store/products.js';
import {
  type Call,
  collect,
  cost,
  data,
  refusal,
  type Reply,
  ScriptedStore,
  SHOP,
} from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

const store = ScriptedStore.forEachTest();

const ALL = { query: '', since: null };

interface Listed {
  readonly id: number;
  readonly updatedAt: string;
}

/** A store that lists these products by time, `first` to a page, from the search's time and the cursor on. */
function listing(products: readonly Listed[]): (call: Call) => Reply {
  return ({ operation, variables }) => {
    if (operation === 'ProductDetails') return details(variables);
    const from = /updated_at:>='([^']+)'/.exec(String(variables['query']))?.[1] ?? '';
    const found = products.filter(({ updatedAt }) => updatedAt >= from);
    const start = variables['after'] === null ? 0 : Number(variables['after']);
    const end = start + Number(variables['first']);
    const nodes = found.slice(start, end).map(({ id, updatedAt }) => ({ id: productGid(id), updatedAt }));
    return data({ products: page(nodes, end < found.length ? String(end) : null) });
  };
}

function details(variables: Call['variables']): Reply {
  const ids = Array.isArray(variables['ids']) ? variables['ids'].map(String) : [];
  return data({ nodes: ids.map((id) => detailNode(Number(id.split('/').at(-1)))) });
}

const at = (second: number): string => `2026-11-19T10:00:${String(second).padStart(2, '0')}Z`;
const numbers = (products: readonly { externalId: string }[]): number[] =>
  products.map(({ externalId }) => Number(externalId.split(':').at(-1)));

describe('reading by pages', () => {
  it('quotes the time, names every status and sorts by the time of change', async () => {
    store.answerWith(listing([]));
    await collect(
      store.parts().pages.products({ query: 'vendor:Acme', since: new Date('2026-11-19T10:00:00.900Z') }),
    );
    expect(store.calls[0]?.variables).toMatchObject({
      query: "updated_at:>='2026-11-19T10:00:00Z' status:active,draft,archived,unlisted vendor:Acme",
      after: null,
    });
    expect(store.calls[0]?.body).toContain('sortKey: UPDATED_AT');
  });

  it.each([
    ['asks by the store’s own clock where that is behind ours', 'Fri, 20 Nov 2026 11:40:30 GMT', '11:26'],
    ['asks by our clock where the store’s is out of all time', '-271821-04-20T00:00:00Z', '11:45'],
  ])('%s', async (_what, date, time) => {
    // It is 12:00 by our clock.
    const headers = { date };
    store.answerWith(() => ({ ...data({ products: page([]) }), headers }));
    const connector = store.connector();
    await connector.parts.pages.selected([productGid(1)], 'tag:x');
    await collect(connector.readChanged(new Date('2026-11-20T11:45:00Z')));
    expect(store.calls.at(-1)?.variables['query']).toContain(`updated_at:>='2026-11-20T${time}:00Z'`);
  });

  it('begins again by time before the store’s ceiling, and still yields each product once', async () => {
    const products = Array.from({ length: 20 }, (_, index) => ({
      id: index + 1,
      updatedAt: at(Math.floor(index / 3)),
    }));
    store.answerWith(listing(products));
    const connector = store.connector({ limits: { pageSize: 4, pagingCeiling: 8 } });
    expect(numbers(await collect(connector.parts.pages.products(ALL)))).toEqual(products.map(({ id }) => id));
    const cursors = store.calls
      .filter(({ operation }) => operation === 'ProductsPage')
      .map(({ variables }) => variables['after']);
    expect(cursors.filter((cursor) => cursor !== null).every((cursor) => Number(cursor) < 8)).toBe(true);
    expect(cursors.filter((cursor) => cursor === null).length).toBeGreaterThan(2);
  });

  it('follows the cursor beyond the ceiling where more products than that have the same time', async () => {
    const products = Array.from({ length: 12 }, (_, index) => ({ id: index + 1, updatedAt: at(1) }));
    store.answerWith(listing(products));
    const connector = store.connector({ limits: { pageSize: 2, pagingCeiling: 4 } });
    expect(await collect(connector.parts.pages.products(ALL))).toHaveLength(12);
  });

  it('yields a product once that is listed twice because it changed meanwhile', async () => {
    store.answerWith(listing([1, 2, 1, 3, 1].map((id, index) => ({ id, updatedAt: at(index) }))));
    const connector = store.connector({ limits: { pageSize: 2 } });
    expect(numbers(await collect(connector.parts.pages.products(ALL)))).toEqual([1, 2, 3]);
  });

  it('leaves out a product that vanished between listing and reading', async () => {
    const list = listing([
      { id: 1, updatedAt: at(1) },
      { id: 2, updatedAt: at(2) },
    ]);
    store.answerWith((call) =>
      call.operation === 'ProductDetails' ? data({ nodes: [null, detailNode(2)] }) : list(call),
    );
    expect(numbers(await collect(store.parts().pages.products(ALL)))).toEqual([2]);
  });

  it('passes over search notes that warn of nothing', async () => {
    store.answerWith(() =>
      data(
        { products: page([]) },
        {
          search: [
            { query: 'x', parsed: {} },
            { query: 'x', warnings: [] },
          ],
        },
      ),
    );
    await expect(collect(store.parts().pages.products(ALL))).resolves.toEqual([]);
  });

  it.each([
    ['stands still', () => 'c'],
    ['goes in a circle', (after: unknown) => (after === 'c' ? 'd' : 'c')],
  ])('fails as transient when a further page is promised but the cursor %s', async (_what, cursorAfter) => {
    store.answerWith(({ operation, variables }) =>
      operation === 'ProductDetails'
        ? details(variables)
        : data({
            products: page([{ id: productGid(1), updatedAt: at(1) }], cursorAfter(variables['after'])),
          }),
    );
    expect(await failureOf(collect(store.parts().pages.products(ALL)))).toMatchObject({ code: 'transient' });
  });
});

describe('product details', () => {
  it('come in the order of the ids, null for what is gone or is no product', async () => {
    store.answerWith(() =>
      data({ nodes: [detailNode(2), null, { __typename: 'Collection' }, detailNode(1)] }),
    );
    const products = await store.parts().details.read([2, 9, 8, 1].map(productGid));
    expect(products.map((product) => product?.storeId ?? null)).toEqual([
      productGid(2),
      null,
      null,
      productGid(1),
    ]);
  });

  it('are followed page by page for a product with many variants, media and metafields', async () => {
    const variant = (n: number): object =>
      variantNode(n, {
        position: n,
        title: `V${String(n)}`,
        selectedOptions: [{ name: 'Size', value: String(n) }],
      });
    store.answerWith(({ operation, variables }) => {
      const product = (nodes: unknown[], cursor: string | null): Reply =>
        data({ product: { children: page(nodes, cursor) } });
      switch (operation) {
        case 'MoreVariants':
          return variables['after'] === 'v1' ? product([variant(2)], 'v2') : product([variant(3)], null);
        case 'MoreMedia':
          return product([imageNode(2, 'https://cdn.example.com/2.png')], null);
        case 'MoreMetafields':
          return product([metafieldNode(2, 'b', 'B')], null);
        default:
          return data({
            nodes: [
              detailNode(1, {
                variants: page([variant(1)], 'v1'),
                media: page([imageNode(1, null)], 'm1'),
                metafields: page([metafieldNode(1, 'a', 'A')], 'f1'),
              }),
            ],
          });
      }
    });
    const [source] = await store.parts().details.read([productGid(1)]);
    const product = source?.snapshot();
    expect(product?.variants.map(({ title }) => title)).toEqual(['V1', 'V2', 'V3']);
    expect(product?.imageUrls).toEqual(['https://cdn.example.com/2.png']);
    expect(product?.metafields.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(product?.hasOnlyDefaultVariant).toBe(false);
  });

  it('are asked for in chunks that grow as long as they stay cheap', async () => {
    store.answerWith(({ variables }) => {
      const reply = details(variables);
      const asked = Array.isArray(variables['ids']) ? variables['ids'].length : 0;
      return {
        json: {
          ...Object(reply.json),
          extensions: { cost: cost({ requested: asked * 20, actual: asked * 5 }) },
        },
      };
    });
    const ids = Array.from({ length: 60 }, (_, index) => productGid(index + 1));
    await store.parts({ limits: { detailCost: 400 } }).details.read(ids);
    const sizes = store.calls.map(({ variables }) =>
      Array.isArray(variables['ids']) ? variables['ids'].length : 0,
    );
    expect(sizes).toEqual([10, 20, 20, 10]);
  });

  it('are asked for in halves when the store finds them too dear', async () => {
    store.answerWith(({ variables }) =>
      Array.isArray(variables['ids']) && variables['ids'].length > 3
        ? refusal('MAX_COST_EXCEEDED')
        : details(variables),
    );
    const ids = [1, 2, 3, 4, 5, 6].map(productGid);
    await expect(store.parts({ limits: { detailChunk: 6 } }).details.read(ids)).resolves.toHaveLength(6);
  });

  it.each([
    ['a part', { variants: page([variantNode(1, { id: 'x' })]) }],
    ['the list of its parts', { media: null }],
    ['its own field', { title: 7 }],
    ['its id', { id: productGid(9) }],
  ])(
    'fail that product alone by name when %s is malformed, never as half a product',
    async (_what, wrong) => {
      store.answerWith(() => data({ nodes: [detailNode(1, wrong), detailNode(2)] }));
      const [bad, good] = await store.parts().details.read([1, 2].map(productGid));
      expect(good?.snapshot().storeId).toBe(productGid(2));
      expect(bad).toMatchObject({ storeId: productGid(1) });
      expect(await failureOf(Promise.resolve().then(() => bad?.snapshot()))).toMatchObject({
        code: 'transient',
        message: expect.stringMatching(/malformed product data|in place of/),
      });
    },
  );
});

describe('a product at which the store fails', () => {
  const failsAt = (id: number): ((call: Call) => Reply) => {
    const list = listing([1, 2, 3, 4].map((each) => ({ id: each, updatedAt: at(each) })));
    return (call) => {
      if (call.operation === 'WhoAmI') return data(SHOP);
      const asked = JSON.stringify(call.variables['ids'] ?? call.variables['id'] ?? '');
      return asked.includes(productGid(id)) ? refusal('INTERNAL_SERVER_ERROR') : list(call);
    };
  };

  it('fails alone, and the read goes on', async () => {
    store.answerWith(failsAt(3));
    const products = await collect(store.parts().pages.products(ALL));
    expect(numbers(products)).toEqual([1, 2, 3, 4]);
    expect(products.map((product) => failsToParse(product))).toEqual([false, false, true, false]);
  });

  it('fails alone at a further page of its parts, too', async () => {
    store.answerWith(({ operation }) => {
      if (operation === 'WhoAmI') return data(SHOP);
      return operation === 'MoreVariants'
        ? refusal('INTERNAL_SERVER_ERROR')
        : data({ nodes: [detailNode(1, { variants: page([variantNode(1)], 'v1') }), detailNode(2)] });
    });
    const read = await store.parts().details.read([1, 2].map(productGid));
    expect(read.map((product) => product !== null && failsToParse(product))).toEqual([true, false]);
  });

  it('ends the read where the store answers nothing else', async () => {
    const list = listing([1, 2].map((each) => ({ id: each, updatedAt: at(each) })));
    store.answerWith((call) =>
      call.operation === 'ProductsPage' ? list(call) : refusal('INTERNAL_SERVER_ERROR'),
    );
    expect(await failureOf(collect(store.parts().pages.products(ALL)))).toMatchObject({ code: 'transient' });
  });

  function failsToParse(product: SourceProduct): boolean {
    try {
      product.snapshot();
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'transient' });
      return true;
    }
  }
});

it.each([
  ['an exact number', (): Reply => data({ productsCount: { count: 5, precision: 'EXACT' } }), 5],
  ['a lower bound', (): Reply => data({ productsCount: { count: 10_000, precision: 'AT_LEAST' } }), null],
  ['nothing', (): Reply => data({ productsCount: null }), null],
  ['that it cannot count so', (): Reply => refusal('BAD_REQUEST'), null],
])('counting yields what the store says: %s', async (_name, reply, expected) => {
  store.answerWith(reply);
  await expect(store.parts().pages.count('')).resolves.toBe(expected);
});

describe('reading by id under a filter', () => {
  const leftOut = async (query: string): Promise<(boolean | undefined)[]> => {
    const connector = store.connector({ query });
    const read = await connector.readProducts([1, 2].map(productGid));
    return read.map((product) => product?.isLeftOut);
  };

  it('tells which products the filter leaves out', async () => {
    store.answerWith(({ operation, variables }) =>
      operation === 'ProductDetails'
        ? details(variables)
        : data({ products: page([{ id: productGid(2), updatedAt: at(1) }]) }),
    );
    expect(await leftOut('tag:x OR tag:y')).toEqual([true, undefined]);
    expect(store.calls.at(-1)?.variables).toMatchObject({
      query: 'id:1 OR id:2 status:active,draft,archived,unlisted tag:x OR tag:y',
    });
  });

  it('asks nothing more without one', async () => {
    store.answerWith(({ variables }) => details(variables));
    expect(await leftOut('')).toEqual([undefined, undefined]);
    expect(store.operations()).toEqual(['ProductDetails']);
  });
});
