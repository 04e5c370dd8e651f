import { beforeAll, describe, expect, it } from '@jest/globals';
import { noticeOf } from '../../../src/dashboard/notice.js';
import { DeliveryOperations } from '../../../src/operations/deliveries.js';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { ProductNames } from '../../../src/operations/product-names.js';
import { DeliveryRepository } from '../../../src/persistence/delivery.repository.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { snapshot } from '../../support/fake-store.js';
import { sqlRows } from '../../support/sql.js';
import { Stages } from '../../support/stages.js';

const PAGE = { limit: 50, offset: 0, order: 'desc' } as const;
const UNKNOWN = 'shopify:elsewhere.myshopify.com:9';

const stages = await Stages.open();
beforeAll(async () => {
  await stages.reset();
  stages.store.put(snapshot(1, { title: 'Red lamp' }), snapshot(2, { title: 'Sofa' }));
  await stages.sync();
  await sqlRows(
    stages.db,
    `INSERT INTO webhook_delivery (workspace, dedupe_key, via, headers, raw_body, state, external_id, note)
     SELECT 'default', 'titled-' || coalesce(each, ''), 'webhook', '{}', '{}', 'processed', each, 'stored'
     FROM unnest($1::text[]) AS each`,
    [[snapshot(1).externalId, snapshot(2).externalId, UNKNOWN, null]],
  );
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
        [snapshot(2).externalId, 'Sofa'],
        [UNKNOWN, null],
        [null, null],
      ]),
    );
  });

  it.each([
    ['a part of a title', 'LAMP', [[snapshot(1).externalId, 'Red lamp']]],
    ['a part of an external_id', 'elsewhere', [[UNKNOWN, null]]],
  ])('is searched by %s', async (_what, search, found) => {
    expect(await labels(search)).toEqual(found);
  });
});

it('one delivery has the title of its product', async () => {
  const [row] = (await operations().list({ ...PAGE, search: 'sofa' })).items;
  expect(await operations().show(row?.id ?? '')).toMatchObject({ label: 'Sofa', note: 'stored' });
});

describe('the replay of a delivery', () => {
  it('is told in a sentence on the page, the first time and again', async () => {
    const { items } = await operations().list({ ...PAGE, search: 'Red lamp' });
    const ids = items.map(({ id }) => id);
    expect(noticeOf(await operations().replay(ids))).toBe('It is interpreted again.');
    expect(noticeOf(await operations().replay(ids))).toBe('It was waiting to be interpreted already.');
  });
});
