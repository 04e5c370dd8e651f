import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import { CatalogListingRows } from '../../../src/persistence/catalog-listing.rows.js';
import { idRow } from '../../../src/persistence/rows.js';
import { Gate } from '../../support/call-script.js';
import { fakeIntervals } from '../../support/fake-intervals.js';
import { modelSnapshot, otherSnapshot, snapshot } from '../../support/fake-store.js';
import { ListingNights } from '../../support/listing-nights.js';
import { sqlRows } from '../../support/sql.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
const nights = new ListingNights(stages);
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
});
afterEach(() => {
  jest.useRealTimers();
});

const PRODUCTS = `SELECT * FROM catalog_listed WHERE kind = 'product'`;
const listedRows = async () => (await sqlRows(stages.db, PRODUCTS)).length;

describe('the scheduled full runs of a workspace’s stores', () => {
  beforeEach(async () => {
    stages.store.put(snapshot(1), snapshot(2));
    stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
    await nights.run(STORE);
    await nights.run(OTHER_STORE);
    await nights.forget();
    nights.pagesRead();
  });

  it('read the catalog’s listing once for all of them', async () => {
    await nights.run(STORE);
    const once = nights.pagesRead();
    expect(once).toBeGreaterThan(0);
    expect(await nights.run(OTHER_STORE)).toMatchObject({ state: 'succeeded', notCompared: null });
    expect(await nights.run(STORE)).toMatchObject({ state: 'succeeded', notCompared: null });
    expect(nights.pagesRead()).toBe(0);
    expect(await nights.listings()).toMatchObject([{ products: 3, complete: true }]);
  });

  it('each find the products that were gone from the shared listing', async () => {
    for (const product of [snapshot(1).externalId, otherSnapshot(7, 'SKU-7').externalId])
      stages.catalog.products.delete(stages.catalog.of(product)?.id ?? 0);
    expect(await nights.run(STORE)).toMatchObject({ counts: { created: 1, unchanged: 1 } });
    expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 1, unchanged: 0 } });
  });

  it('read it again once it is older than the setting allows', async () => {
    await nights.run(STORE);
    nights.pagesRead();
    await stages.db.affected(
      `UPDATE catalog_listing SET started_at = started_at - interval '11 minutes', read_at = read_at - interval '11 minutes'`,
    );
    await nights.run(OTHER_STORE);
    expect(nights.pagesRead()).toBeGreaterThan(0);
    expect(await nights.listings()).toHaveLength(1);
  });

  it('do not look up products that were linked after the listing was begun', async () => {
    await nights.run(STORE);
    stages.store.put(snapshot(3));
    await nights.run(STORE);
    nights.pagesRead();
    expect(await nights.run(STORE)).toMatchObject({ state: 'succeeded', notCompared: null });
    expect(stages.catalog.script.count('getProduct')).toBe(0);
  });

  it('wait for one of them that reads it, and share what it read', async () => {
    const gate = new Gate();
    stages.catalog.script.before('listProducts', gate.hold);
    const reading = nights.run(STORE);
    await gate.reached;
    const waiting = nights.run(OTHER_STORE);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stages.catalog.script.count('listProducts')).toBe(1);
    gate.open();
    expect(await Promise.all([reading, waiting])).toMatchObject([
      { state: 'succeeded' },
      { state: 'succeeded' },
    ]);
    expect(stages.catalog.script.count('listProducts')).toBe(1);
    expect(await nights.listings()).toHaveLength(1);
  });

  it('do not read it again when another reader ends right before they begin', async () => {
    const begin = jest.spyOn(CatalogListingRows.prototype, 'begin').mockImplementationOnce(async () => {
      begin.mockRestore();
      await nights.run(OTHER_STORE);
      const row = await stages.db.readOne(
        idRow,
        `INSERT INTO catalog_listing (workspace, lease, lease_until) VALUES ($1, 'late', now() + interval '1 minute') RETURNING id`,
        [WORKSPACE],
      );
      return row?.id ?? null;
    });
    expect(await nights.run(STORE)).toMatchObject({ state: 'succeeded', counts: { unchanged: 2 } });
    expect(stages.catalog.script.count('listProducts')).toBeLessThanOrEqual(2);
    expect(await nights.listings()).toHaveLength(1);
  });

  it('do not wait for a reader that died', async () => {
    await stages.db.affected(
      `INSERT INTO catalog_listing (workspace, lease, lease_until) VALUES ($1, 'dead', now() - interval '1 second')`,
      [WORKSPACE],
    );
    expect(await nights.run(STORE)).toMatchObject({ state: 'succeeded' });
    expect(await nights.listings()).toMatchObject([{ products: 3 }]);
  });

  it('leave no rows of a reading that failed', async () => {
    const away = (): never => {
      throw new Error('the catalog is away');
    };
    stages.catalog.script.before('listProducts', away, 2);
    expect(await nights.run(STORE)).toMatchObject({ state: 'failed' });
    expect(await nights.listings()).toEqual([]);
    expect(await sqlRows(stages.db, 'SELECT * FROM catalog_listed')).toEqual([]);
  });

  it('leave no rows of a reading whose rows cannot be stored', async () => {
    nights.fill(1_200);
    const store = jest
      .spyOn(CatalogListingRows.prototype, 'addListed')
      .mockRejectedValueOnce(new Error('the rows cannot be stored'))
      .mockRejectedValueOnce(new Error('the rows cannot be stored'));
    const run = await nights.run(STORE);
    store.mockRestore();
    expect(run).toMatchObject({ state: 'failed' });
    expect(await nights.listings()).toEqual([]);
    expect(await sqlRows(stages.db, 'SELECT * FROM catalog_listed')).toEqual([]);
  });

  it('leave no rows of a reading that another reader removed, because it had stood still for too long', async () => {
    await nights.run(STORE);
    const rows = new CatalogListingRows(stages.db);
    // A reader that goes on adds to the listing that it began.
    await rows.addListed('999', WORKSPACE, [{ catalogId: '1', externalId: null, hidesVariants: false }]);
    const held = { catalogId: '1', isVariant: false, externalId: null };
    await rows.addHolders('999', [{ ...held, kind: 'sku', value: 'SKU-1' }]);
    const ofNone = () =>
      sqlRows(
        stages.db,
        'SELECT * FROM catalog_listed WHERE listing_id NOT IN (SELECT id FROM catalog_listing)',
      );
    expect(await ofNone()).toHaveLength(2);
    await rows.removeOlder(24);
    expect(await ofNone()).toEqual([]);
    expect(await nights.listings()).toMatchObject([{ products: 3 }]);
    expect(await sqlRows(stages.db, PRODUCTS)).toHaveLength(3);
  });

  it('keep the rows of a listing that is being read, while retention removes those of listings that are gone', async () => {
    nights.fill(1_200);
    const gate = nights.gateAtPage(3);
    const reading = nights.run(STORE);
    await gate.reached;
    await until('rows of the listing', async () => (await listedRows()) > 0);
    await new CatalogListingRows(stages.db).removeOlder(24);
    const kept = await listedRows();
    gate.open();
    expect(await reading).toMatchObject({ state: 'succeeded', notCompared: null });
    expect(kept).toBeGreaterThan(0);
    expect(await listedRows()).toBe(1_200);
  });

  it('read no more pages once another process took the listing over, and use its listing', async () => {
    nights.fill(1_600);
    fakeIntervals();
    const gate = nights.gateAtPage(3);
    const reading = nights.run(STORE);
    await gate.reached;
    await stages.db.affected(`UPDATE catalog_listing SET lease_until = now() - interval '1 second'`);
    await nights.run(OTHER_STORE);
    const keepLease = jest.spyOn(CatalogListingRows.prototype, 'keepLease');
    jest.advanceTimersByTime(6_000);
    expect(await keepLease.mock.results[0]?.value).toBe(false);
    keepLease.mockRestore();
    nights.pagesRead();
    gate.open();
    expect(await reading).toMatchObject({ state: 'succeeded', notCompared: null });
    expect(nights.pagesRead()).toBe(0);
    expect(await nights.listings()).toMatchObject([{ products: 1_600, complete: true }]);
    expect(await listedRows()).toBe(1_600);
  });

  it.each(['before its end', 'at its end'])(
    'leave no rows that a reader stored after another process took its listing over (%s)',
    async (noticed) => {
      nights.fill(1_200);
      if (noticed === 'before its end') fakeIntervals();
      const late = new Gate();
      const rows = new CatalogListingRows(stages.db);
      const store = jest
        .spyOn(CatalogListingRows.prototype, 'addListed')
        .mockImplementationOnce(async (...added) => {
          await late.hold();
          return rows.addListed(...added);
        });
      const reading = nights.run(STORE);
      await late.reached;
      await stages.db.affected(`UPDATE catalog_listing SET lease_until = now() - interval '1 second'`);
      await nights.run(OTHER_STORE);
      const keepLease = jest.spyOn(CatalogListingRows.prototype, 'keepLease');
      if (noticed === 'before its end') {
        jest.advanceTimersByTime(6_000);
        expect(await keepLease.mock.results[0]?.value).toBe(false);
      }
      late.open();
      expect(await reading).toMatchObject({ state: 'succeeded', notCompared: null });
      expect(keepLease).toHaveBeenCalledTimes(noticed === 'before its end' ? 1 : 0);
      for (const spy of [store, keepLease]) spy.mockRestore();
      expect(await nights.listings()).toMatchObject([{ products: 1_200, complete: true }]);
      expect(await listedRows()).toBe(1_200);
    },
  );

  it('succeed though the listing before the last one could not be removed', async () => {
    await nights.run(STORE);
    await stages.db.affected(`UPDATE catalog_listing SET started_at = started_at - interval '11 minutes',
      read_at = read_at - interval '11 minutes'`);
    const removal = jest
      .spyOn(CatalogListingRows.prototype, 'removeBefore')
      .mockRejectedValueOnce(new Error('the rows are locked'));
    expect(await nights.run(STORE)).toMatchObject({ state: 'succeeded', notCompared: null });
    removal.mockRestore();
    expect(await nights.listings()).toHaveLength(2);
  });
});

it('a run that a person asks for reads the listing as it is then', async () => {
  stages.store.put(snapshot(1));
  await nights.run(STORE);
  await nights.run(STORE);
  stages.catalog.products.delete(stages.catalog.of(snapshot(1).externalId)?.id ?? 0);
  expect(await nights.run(STORE)).toMatchObject({ counts: { created: 0, unchanged: 1 } });
  expect(await stages.sync()).toMatchObject({ counts: { created: 1, unchanged: 0 } });
});

describe('a first load that uses a listing which another run has read', () => {
  beforeEach(async () => {
    stages.store.put(snapshot(1));
    await nights.run(STORE);
    await nights.run(STORE);
    expect(await nights.listings()).toHaveLength(1);
    nights.pagesRead();
  });

  it('asks for the newest products alone, and sends its identifiers with the creation', async () => {
    stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
    expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 1 } });
    const calls = stages.catalog.script.calls;
    expect(calls.map(({ operation }) => operation)).toEqual(['listProducts', 'upsertProduct']);
    expect(calls[0]?.args).toEqual([{ sorting: 'desc', orderBy: 'date' }]);
    expect(calls[1]?.args).toMatchObject([{ sku: 'SKU-7' }]);
  });

  it('never changes a foreign product that was created since', async () => {
    const foreign = stages.catalog.hold({ external_id: 'erp:1', sku: 'SKU-7', name: 'Theirs' });
    stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
    expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 1, conflicted: 1 } });
    expect(stages.catalog.products.get(foreign.id)).toMatchObject({ name: 'Theirs', external_id: 'erp:1' });
  });

  it('never changes a foreign model that was created since, by its variant’s SKU', async () => {
    const foreign = stages.catalog.hold({
      ...{ external_id: 'erp:1', name: 'Theirs', is_product_model: true },
      variants: [{ id: 900, external_id: 'erp:1:1', sku: 'SKU-7', name: 'Their variant' }],
    });
    stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
    expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 1, conflicted: 1 } });
    expect(stages.catalog.products.get(foreign.id)?.variants).toMatchObject([{ name: 'Their variant' }]);
  });

  it('reads the whole listing again where the newest products do not explain the service’s count', async () => {
    stages.catalog.countsToo = 1;
    stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
    await nights.run(OTHER_STORE);
    const [newest, oldest] = stages.catalog.script.calls.filter(
      ({ operation }) => operation === 'listProducts',
    );
    expect(newest?.args).toMatchObject([{ sorting: 'desc' }]);
    expect(oldest?.args).toMatchObject([{ sorting: 'asc' }]);
    // Nothing is proved, so the identifiers follow the creation.
    expect(
      stages.catalog.script.calls.find(({ operation }) => operation === 'upsertProduct')?.args,
    ).toMatchObject([expect.not.objectContaining({ sku: 'SKU-7' })]);
  });
});

it('looks up the variants of a foreign model once for all stores', async () => {
  stages.catalog.hold({
    ...{ external_id: 'erp:1', name: 'Theirs', is_product_model: true },
    variants: [{ id: 900, external_id: 'erp:1:1', sku: 'THEIRS', name: 'Their variant' }],
  });
  stages.store.put(modelSnapshot(1));
  await nights.run(STORE);
  expect(stages.catalog.script.count('iterateVariants')).toBeGreaterThan(0);
  nights.pagesRead();
  stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
  expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 1 } });
  expect(stages.catalog.script.calls.filter(({ args }) => args[0] === '101')).toEqual([]);
});

describe('a small store in a workspace with a large one', () => {
  beforeEach(async () => {
    stages.store.put(...[1, 2, 3, 4].map((id) => snapshot(id)));
    stages.otherStore.put(otherSnapshot(907, 'SKU-907'), otherSnapshot(908, 'SKU-908'));
    await nights.run(STORE);
    await nights.run(OTHER_STORE);
    // SQL: the linked products of a large store, which no test brings in one by one.
    await stages.db.affected(
      `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id)
       SELECT 'shopify:large:' || n, 'large', $1, n::text, 'Product', 'linked', (10000 + n)::text FROM generate_series(1, 150) AS n`,
      [WORKSPACE],
    );
    await nights.forget();
    nights.pagesRead();
  });

  it('looks up its own products by their ids instead of reading the listing', async () => {
    expect(await nights.run(OTHER_STORE)).toMatchObject({ notCompared: null, counts: { unchanged: 2 } });
    expect(stages.catalog.script.count('getProduct')).toBe(2);
    expect(nights.pagesRead()).toBe(0);
    expect(await nights.listings()).toEqual([]);
  });

  it('finds those that were deleted there, or belong to another system by now', async () => {
    const [deleted, taken] = [907, 908].map((id) =>
      stages.catalog.of(otherSnapshot(id, `SKU-${String(id)}`).externalId),
    );
    stages.catalog.products.delete(deleted?.id ?? 0);
    stages.catalog.change(taken?.id ?? 0, { external_id: 'erp:1' });
    expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 2, unchanged: 0 } });
    expect(stages.catalog.products.get(taken?.id ?? 0)).toMatchObject({ external_id: 'erp:1' });
  });

  it('marks nothing as gone where the catalog does not answer', async () => {
    stages.catalog.script.before('getProduct', () => {
      throw new CodedError('transient', 'the catalog is away');
    });
    expect(await nights.run(OTHER_STORE)).toMatchObject({ state: 'failed', counts: { created: 0 } });
    expect(await nights.run(OTHER_STORE)).toMatchObject({ counts: { created: 0, unchanged: 2 } });
  });

  it('uses a listing that another run has read lately', async () => {
    await nights.run(STORE);
    nights.pagesRead();
    expect(await nights.run(OTHER_STORE)).toMatchObject({ notCompared: null, counts: { unchanged: 2 } });
    expect(stages.catalog.script.calls).toEqual([]);
  });

  it('reads the listing where that takes fewer requests', async () => {
    stages.otherStore.put(otherSnapshot(909, 'SKU-909'), otherSnapshot(910, 'SKU-910'));
    await nights.run(OTHER_STORE);
    await nights.forget();
    nights.pagesRead();
    expect(await nights.run(OTHER_STORE)).toMatchObject({ notCompared: null, counts: { unchanged: 4 } });
    expect(stages.catalog.script.count('getProduct')).toBe(0);
    expect(nights.pagesRead()).toBeGreaterThan(0);
  });
});
