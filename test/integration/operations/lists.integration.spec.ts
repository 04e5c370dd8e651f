import { beforeAll, describe, expect, it } from '@jest/globals';
import { noticeOf } from '../../../src/dashboard/notice.js';
import { DeliveryOperations } from '../../../src/operations/deliveries.js';
import { ProductNames } from '../../../src/operations/product-names.js';
import { ProductOperations, productQuerySchema } from '../../../src/operations/products.js';
import { DeliveryRepository } from '../../../src/persistence/delivery.repository.js';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { sqlRows } from '../../support/sql.js';
import { Stages, STORE } from '../../support/stages.js';

const PAGE = { limit: 50, offset: 0, order: 'desc' } as const;
const UNKNOWN = 'shopify:elsewhere.myshopify.com:9';

const stages = await Stages.open();
beforeAll(async () => {
  await stages.reset();
  stages.store.put(snapshot(1, { title: 'Red lamp' }), snapshot(2, { title: '100% wool' }));
  stages.store.put(withSku(snapshot(3, { title: 'Blue lamp' }), 'SKU-1'));
  await stages.sync();
  await sqlRows(
    stages.db,
    `INSERT INTO webhook_delivery (workspace, dedupe_key, via, headers, raw_body, state, external_id, note)
     SELECT 'default', 'titled-' || coalesce(each, ''), 'webhook', '{}', '{}', 'processed', each, 'stored'
     FROM unnest($1::text[]) AS each`,
    [[snapshot(1).externalId, snapshot(2).externalId, UNKNOWN, null]],
  );
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

function operations(): DeliveryOperations {
  const idle = (): Promise<void> => Promise.resolve();
  const work = { deliveries: idle, writeBacks: idle, run: idle, endRun: idle, bulkChange: idle };
  return new DeliveryOperations(
    new DeliveryRepository(stages.db),
    new ListingRepository(stages.db),
    work,
    new ProductNames(new HistoryRepository(stages.db)),
  );
}

async function labels(search?: string): Promise<unknown[]> {
  const { items } = await operations().list({ ...PAGE, search });
  return items.map(({ externalId, label }) => [externalId, label]);
}

describe('the list of deliveries', () => {
  it('names products by their titles, and leaves out titles that it does not know', async () => {
    expect(await labels()).toEqual(
      expect.arrayContaining([
        [snapshot(1).externalId, 'Red lamp'],
        [snapshot(2).externalId, '100% wool'],
        [UNKNOWN, null],
        [null, null],
      ]),
    );
  });

  it.each([
    ['a part of a title', 'ED LAMP', [[snapshot(1).externalId, 'Red lamp']]],
    ['a part of an external_id', 'elsewhere', [[UNKNOWN, null]]],
  ])('is searched by %s', async (_what, search, found) => {
    expect(await labels(search)).toEqual(found);
  });
});

it('one delivery has the title of its product', async () => {
  const [row] = (await operations().list({ ...PAGE, search: 'wool' })).items;
  expect(await operations().show(row?.id ?? '')).toMatchObject({ label: '100% wool', note: 'stored' });
});

it('a delivery of more than 1 MB is shown by the beginning of its body, and by its whole length', async () => {
  const { id } = (await operations().list({ ...PAGE, search: 'wool' })).items[0]!;
  const body = Buffer.from(JSON.stringify({ text: 'é'.repeat(600_000) }));
  await stages.db.dataSource.query('UPDATE webhook_delivery SET raw_body = $2 WHERE id = $1', [id, body]);
  const detail = await operations().show(id);
  expect(detail).toMatchObject({ body: null, bytes: body.length });
  expect(detail.text).toBe(body.toString().slice(0, 4000));
});

describe('the replay of a delivery', () => {
  it('is told in a sentence on the page, the first time and again', async () => {
    const { items } = await operations().list({ ...PAGE, search: 'Red lamp' });
    const ids = items.map(({ id }) => id);
    expect(noticeOf(await operations().replay(ids))).toBe('It is interpreted again.');
    expect(noticeOf(await operations().replay(ids))).toBe('It was waiting to be interpreted already.');
  });
});
