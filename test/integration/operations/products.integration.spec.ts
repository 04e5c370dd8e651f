import { beforeAll, describe, expect, it } from '@jest/globals';
import { ProductOperations, productQuerySchema } from '../../../src/operations/products.js';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeAll(async () => {
  await stages.reset();
  stages.store.put(snapshot(1, { title: 'Red lamp' }), snapshot(2, { title: '100% wool' }));
  stages.store.put(withSku(snapshot(3, { title: 'Blue lamp' }), 'SKU-1'));
  await stages.sync();
});

async function listed(query: Readonly<Record<string, string>>) {
  const { db, links } = stages;
  const products = new ProductOperations(new HistoryRepository(db), links, new ListingRepository(db));
  return products.list(productQuerySchema.parse({ order: 'asc', ...query }));
}

describe('the list of products', () => {
  it('has each product with its state and the reason for it', async () => {
    const { total, items } = await listed({ store: STORE });
    expect(total).toBe(3);
    const standings = Object.fromEntries(
      items.map(({ label, state, standing }) => [label, [state, standing]]),
    );
    expect(standings['100% wool']).toEqual([
      'linked',
      expect.stringMatching(/^waiting for content that was asked for at /),
    ]);
    expect(standings['Red lamp']).toEqual([
      'conflicted',
      expect.stringMatching(/; withheld from the catalog: /),
    ]);
  });

  it.each([
    ['part of a title', 'LAMP', 2],
    ['a percent sign as it is', '%', 1],
    ['part of a handle', 'product-2', 1],
    ['a whole SKU', 'SKU-2', 1],
    ['nothing that is there', 'sofa', 0],
  ])('is searched by %s', async (_what, search, count) => {
    const { items, total } = await listed({ search });
    expect([items.length, total]).toEqual([count, count]);
  });

  it('is filtered by state and store', async () => {
    expect((await listed({ state: 'conflicted' })).total).toBe(2);
    expect((await listed({ store: 'other' })).total).toBe(0);
  });

  it.each([
    ['the newest first', {}, ['Blue lamp', '100% wool', 'Red lamp']],
    ['by title', { sort: 'title' }, ['100% wool', 'Blue lamp', 'Red lamp']],
    ['the last seen first', { sort: 'seen' }, ['100% wool', 'Red lamp', 'Blue lamp']],
  ])('comes in an order: %s', async (_what, query, labels) => {
    const at = (number: number): string => `timestamptz '2026-01-01' + ${String(number)} * interval '1 day'`;
    for (const [label, first, last] of [
      ['Red lamp', 1, 5],
      ['100% wool', 2, 6],
      ['Blue lamp', 3, 4],
    ] as const)
      await stages.db.dataSource.query(
        `UPDATE store_product SET first_seen_at = ${at(first)}, last_seen_at = ${at(last)} WHERE label = $1`,
        [label],
      );
    expect((await listed({ order: 'desc', ...query })).items.map(({ label }) => label)).toEqual(labels);
  });
});
