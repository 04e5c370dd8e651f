import { describe, expect, it } from '@jest/globals';
import { data, ScriptedStore } from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';
import { page } from '../../../test/support/store/products.js';
import type { ShopifyConnector } from './connector.js';
import { productSearch } from './search.js';

const store = ScriptedStore.forEachTest();

const STATUSES = 'status:active,draft,archived,unlisted';

describe('productSearch', () => {
  it.each([
    ['', null, STATUSES],
    ['  ', null, STATUSES],
    ['tag:a OR tag:b', null, `${STATUSES} tag:a OR tag:b`],
    ['', new Date('2026-11-19T23:59:59.999Z'), `updated_at:>='2026-11-19T23:59:59Z' ${STATUSES}`],
  ])('of %p since %p is %s', (query, since, expected) => {
    expect(productSearch(query, since)).toBe(expected);
  });

  it.each(['OR tag:a', 'tag:a OR', 'AND x', 'tag:a NOT'])(
    'refuses %p, whose operator would take our terms',
    (query) => {
      expect(() => productSearch(query)).toThrow(expect.objectContaining({ code: 'misconfigured' }));
    },
  );

  it('lets words be that merely look like operators', () => {
    expect(productSearch('ORANGE SAND')).toBe(`${STATUSES} ORANGE SAND`);
  });
});

describe('a filter that the store does not heed', () => {
  const search = [{ warnings: [{ field: 'foo', message: 'Invalid search field.', code: 'invalid_field' }] }];

  const firstPart = (each: ShopifyConnector) => {
    const parts = each.readWhole(null, () => Promise.resolve());
    return parts[Symbol.asyncIterator]().next();
  };
  it.each<[string, (connector: ShopifyConnector) => Promise<unknown>]>([
    ['by pages', (each) => each.readChanged(new Date())[Symbol.asyncIterator]().next()],
    ['of the count', (each) => each.count()],
    ['before an export, whose answers have no search notes', firstPart],
  ])('fails the read %s, with the words of the store', async (_which, read) => {
    store.answerWith(({ operation }) =>
      operation === 'ProductsCount'
        ? data({ productsCount: { count: 5, precision: 'EXACT' } }, { search })
        : data({ products: page([]) }, { search }),
    );
    expect(await failureOf(read(store.connector({ query: 'foo:1' })))).toMatchObject({
      code: 'invalid',
      fields: { query: ['Invalid search field.'] },
    });
    expect(store.operations()).not.toContain('BulkRun');
  });
});
