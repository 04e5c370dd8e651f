import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { dryRunOf } from '../../support/dry-run-of.js';
import { Gate } from '../../support/call-script.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, otherSnapshot, snapshot, variant, withSku } from '../../support/fake-store.js';
import { sqlRows } from '../../support/sql.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

const ours = (id: number): string => snapshot(id).externalId;
const theirs = (id: number): string => ours(id).replace('example', 'other');

const skuOf = (externalId: string) => stages.catalog.of(externalId)?.sku;

describe('an identifier that two products bear', () => {
  it('is sent for neither of two new ones, and both are reported', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'), withSku(snapshot(2), 'SAME'), snapshot(3));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { seen: 3, created: 3, conflicted: 2 } });
    expect([skuOf(ours(1)), skuOf(ours(2)), skuOf(ours(3))]).toEqual([undefined, undefined, 'SKU-3']);
    const link = await stages.link(1);
    expect(link.state).toBe('conflicted');
    expect(link.withheld).toMatchObject([{ kind: 'sku', value: 'SAME', owner: ours(1) }]);
    expect(link.withheld[0]?.reason).toContain(ours(2));
  });

  it('stays with the product that had it first', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'));
    await stages.sync();
    stages.store.put(withSku(snapshot(2), 'SAME'));
    expect((await stages.sync()).counts).toMatchObject({ created: 1, unchanged: 1, conflicted: 1 });
    expect([skuOf(ours(1)), skuOf(ours(2))]).toEqual(['SAME', undefined]);
  });

  it('stays between stores with the product that held it first, whatever either changes afterwards', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'));
    await stages.sync();
    stages.otherStore.put(otherSnapshot(7, 'same '));
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ created: 1, conflicted: 1 });
    const [withheld] = (await stages.links.get(theirs(7)))?.withheld ?? [];
    expect(withheld).toMatchObject({
      value: 'same',
      holder: { whose: 'other_store', externalIds: [ours(1)] },
    });
    for (const title of ['Renamed', 'Renamed again']) {
      stages.store.put({
        ...withSku(snapshot(1), 'SAME'),
        title,
        variants: withSku(snapshot(1), 'SAME').variants,
      });
      stages.otherStore.put({ ...otherSnapshot(7, 'same '), title });
      expect((await stages.sync()).counts).toMatchObject({ updated: 1, conflicted: 0 });
      expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ updated: 1, conflicted: 1 });
      expect([skuOf(ours(1)), skuOf(theirs(7)) ?? null]).toEqual(['SAME', null]);
    }
    stages.store.put(withSku({ ...snapshot(1), title: 'Renamed again' }, 'OWN'));
    await stages.sync();
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ conflicted: 0 });
    expect([skuOf(ours(1)), skuOf(theirs(7))]).toEqual(['OWN', 'same']);
  });

  it('is not taken from its first holder by a stranger with all of its identifiers, variants included', async () => {
    stages.store.put(withSku(snapshot(1), 'A'), modelSnapshot(2), withSku(snapshot(3), 'C'));
    await stages.sync();
    stages.otherStore.put(otherSnapshot(7, 'A'), otherSnapshot(8, 'SKU-2-1'), otherSnapshot(9, 'C'));
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ created: 3, conflicted: 3 });
    for (const id of [1, 2, 3]) stages.store.edit(String(id), { vendor: 'Other', handle: `renamed-${id}` });
    stages.store.edit('2', { variants: [...modelSnapshot(2).variants, variant(2, 3, { sku: 'NEW' })] });
    expect((await stages.sync()).counts).toMatchObject({ updated: 3, conflicted: 0 });
    expect([skuOf(ours(1)), skuOf(ours(3))]).toEqual(['A', 'C']);
    expect(stages.catalog.of(ours(2))?.variants?.map(({ sku }) => sku)).toEqual([
      'SKU-2-1',
      'SKU-2-2',
      'NEW',
    ]);
  });

  it('is withheld in the other store however often its products come out as unchanged', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'), withSku(snapshot(2), 'SAME'));
    await stages.sync();
    stages.otherStore.put(otherSnapshot(7, 'SAME'));
    await stages.sync({ store: OTHER_STORE });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 2, conflicted: 2 });
    const run = await stages.sync({ store: OTHER_STORE });
    expect(run.counts).toMatchObject({ unchanged: 1, conflicted: 1 });
    expect(skuOf(theirs(7))).toBeUndefined();
  });

  it('is noticed while two runs apply at once', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'));
    stages.otherStore.put(otherSnapshot(7, 'SAME'));
    const gate = new Gate();
    stages.otherStore.script.before('batch', gate.hold);
    const other = stages.sync({ store: OTHER_STORE });
    await gate.reached;
    const applying = new Gate();
    stages.catalog.script.before('upsertProduct', applying.hold);
    const run = stages.sync();
    await applying.reached;
    gate.open();
    expect((await other).counts).toMatchObject({ created: 1, conflicted: 1 });
    applying.open();
    await run;
    expect([skuOf(ours(1)), skuOf(theirs(7))]).toEqual(['SAME', undefined]);
  });

  it('planned by two runs that know nothing of each other is withheld where it is sent', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'));
    stages.otherStore.put(otherSnapshot(7, 'SAME'));
    const gates = [new Gate(), new Gate()] as const;
    stages.catalog.script.after('listProducts', gates[0].hold);
    stages.catalog.script.after('listProducts', gates[1].hold);
    const runs = [stages.sync(), stages.sync({ store: OTHER_STORE })];
    await Promise.all(gates.map((gate) => gate.reached));
    gates.forEach((gate) => gate.open());
    await Promise.all(runs);
    const skus = [skuOf(ours(1)), skuOf(theirs(7))];
    expect(skus.filter((sku) => sku === 'SAME').length).toBeLessThan(2);
    expect([stages.catalog.countOf(ours(1)), stages.catalog.countOf(theirs(7))]).toEqual([1, 1]);
  });
});

describe('a conflict ends', () => {
  it('when the product gives its identifier up, without a write', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'), withSku(snapshot(2), 'SAME'));
    await stages.sync();
    stages.store.put(withSku(snapshot(1), null));
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ updated: 1, unchanged: 1, conflicted: 0 });
    expect([skuOf(ours(1)), skuOf(ours(2))]).toEqual([undefined, 'SAME']);
    expect(await stages.link(1)).toMatchObject({ state: 'linked', withheld: [] });
  });

  it.each<[string, string[], (string | null)[]]>([
    ['one of two products gets another one', ['SAME', 'SAME'], ['OWN', 'SAME']],
    ['two products exchange theirs', ['A', 'B'], ['B', 'A']],
    ['a product is deleted and made again', ['SAME'], [null, 'SAME']],
  ])('in the run after %s, incremental ones too', async (_what, before, after) => {
    before.forEach((sku, index) => stages.store.put(withSku(snapshot(index + 1), sku)));
    await stages.sync();
    for (const [index, sku] of after.entries()) {
      const product = snapshot(index + 1);
      if (sku === null) await leave(product.storeId);
      else if (sku !== before[index])
        stages.store.put({ ...withSku(product, sku), updatedAt: stages.clock.now() });
    }
    await stages.sync({ full: false });
    for (const id of stages.store.products.keys()) stages.store.edit(id, { updatedAt: new Date(0) });
    expect((await stages.sync({ full: false })).counts).toMatchObject({ conflicted: 0, owed: 0 });
    expect([skuOf(ours(1)) ?? null, skuOf(ours(2))]).toEqual(after);
  });

  /** The store reports that it deleted the product. The new one is created before and recorded after the old one gives up its SKU. */
  const leave = async (storeId: string): Promise<void> => {
    const { externalId } = stages.store.at(storeId);
    stages.store.products.delete(storeId);
    await stages.owed.note(STORE, [{ externalId, storeId, label: '', code: 'changed', detail: null }]);
    stages.catalog.script.after('upsertProduct', () =>
      until('its end', async () => (await stages.links.get(externalId))?.state === 'orphaned'),
    );
  };

  it('once the other catalog product that holds the identifier is gone, and not before, however often it is looked at', async () => {
    const foreign = stages.catalog.hold({ sku: 'SAME', external_id: 'erp:9', name: 'Foreign' });
    stages.store.put(withSku(snapshot(1), 'SAME'));
    await stages.sync();
    for (let night = 0; night < 2; night += 1) {
      const run = await stages.sync();
      expect(run).toMatchObject({ state: 'succeeded', counts: { unchanged: 1, conflicted: 1, failed: 0 } });
      expect(await stages.link(1)).toMatchObject({ state: 'conflicted' });
    }
    stages.catalog.products.delete(foreign.id);
    expect((await stages.sync()).counts).toMatchObject({ updated: 1, conflicted: 0 });
    expect(skuOf(ours(1))).toBe('SAME');
  });
});

it.each([
  ['searches', 20],
  ['a walk of the listing', 0],
])(
  'a catalog product found by %s is left alone, adopted, claimed by nobody or linked, as it belongs to others, to nobody, to two of ours or to us',
  async (_way, others) => {
    // With more pages than identifiers the catalog is searched, otherwise it is walked.
    stages.catalog.pageSize = 1;
    for (let number = 0; number < others; number += 1)
      stages.catalog.hold({ name: `Bystander ${number}`, sku: `B-${number}` });
    const foreign = stages.catalog.hold({ sku: 'SKU-1', external_id: 'erp:1', name: 'Foreign' });
    const unclaimed = stages.catalog.hold({ sku: 'SKU-2', name: 'Unclaimed' });
    const twice = stages.catalog.hold({ sku: 'SKU-3', barcode: '4006381333931', name: 'Claimed twice' });
    const own = stages.catalog.hold({ sku: 'SKU-5', external_id: ours(5) });
    const fourth = withSku(snapshot(4), null);
    stages.store.put(snapshot(1), snapshot(2), snapshot(3), snapshot(5), {
      ...fourth,
      variants: fourth.variants.map((each) => ({ ...each, barcode: '4006381333931' })),
    });
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ created: 3, updated: 2, conflicted: 3 });
    const kinds = (await stages.actionsOf(run.id)).map(({ externalId, kind }) => [externalId, kind]);
    expect(Object.fromEntries(kinds)).toMatchObject({ [ours(2)]: 'adopt' });
    const held = (id: number) => stages.catalog.products.get(id);
    expect(held(foreign.id)).toMatchObject({ name: 'Foreign', external_id: 'erp:1' });
    expect(skuOf(ours(1))).toBeUndefined();
    expect(held(unclaimed.id)).toMatchObject({ external_id: ours(2), name: 'Product 2' });
    expect(await stages.link(2)).toMatchObject({ state: 'linked', catalogId: String(unclaimed.id) });
    expect(held(twice.id)).toMatchObject({ name: 'Claimed twice' });
    expect(held(twice.id)?.external_id).toBeUndefined();
    expect(await stages.link(5)).toMatchObject({ catalogId: String(own.id) });
    expect(stages.catalog.script.calls.some((call) => isSearch(call.args[0]))).toBe(others > 0);
  },
);

function isSearch(filters: unknown): boolean {
  return typeof filters === 'object' && filters !== null && 'search' in filters;
}

describe('identifiers that many products share', () => {
  /** The writes of a plan of the store as it is. */
  async function writesOfPlan(): Promise<number> {
    const writes = jest.spyOn(stages.db, 'affected');
    try {
      await dryRunOf(stages);
      return writes.mock.calls.length;
    } finally {
      writes.mockRestore();
    }
  }

  /** Of new products, and of the same ones when a run has withheld their identifiers. */
  async function writesFor(products: number): Promise<{ ofNew: number; ofWithheld: number }> {
    await stages.reset();
    stages.store.batchSize = 1000;
    for (let id = 2; id < 2 + products; id += 1)
      stages.store.put(withSku(snapshot(id), `SAME-${String(id >> 1)}`));
    const ofNew = await writesOfPlan();
    expect((await stages.sync()).counts).toMatchObject({ created: products, conflicted: products });
    return { ofNew, ofWithheld: await writesOfPlan() };
  }

  it('take a plan as many writes as those of two, and no row is written again', async () => {
    const few = await writesFor(2);
    expect(await writesFor(60)).toEqual(few);
    const rows = await sqlRows(stages.db, 'SELECT external_id, xmin::text FROM store_product ORDER BY 1');
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 60, conflicted: 60 });
    expect(await sqlRows(stages.db, 'SELECT external_id, xmin::text FROM store_product ORDER BY 1')).toEqual(
      rows,
    );
  });
});

it('a withheld identifier names its holder in the row, and an orphan as such until it has given the identifier up', async () => {
  stages.store.put(snapshot(1));
  await stages.sync();
  const { catalogId } = await stages.link(1);
  await stages.db.affected(`UPDATE store_product SET state = 'orphaned', orphaned_at = now()`);
  await stages.db.affected('DELETE FROM product_identifier');
  stages.store.products.clear();
  stages.store.put(withSku(snapshot(2), 'SKU-1'));
  await stages.sync();
  expect((await stages.link(2)).withheld).toMatchObject([
    { holder: { whose: 'orphan', externalIds: [snapshot(1).externalId], catalogId } },
  ]);
  expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1, conflicted: 0 } });
  expect((await stages.link(2)).withheld).toEqual([]);
  expect(skuOf(ours(2))).toBe('SKU-1');
});

it('a product that the catalog never took gives its identifier up once it has left the store', async () => {
  stages.store.put(snapshot(1));
  stages.catalog.script.before('upsertProduct', refusal('invalid'));
  expect(await stages.sync()).toMatchObject({ counts: { created: 0, failed: 1 } });
  stages.store.products.clear();
  expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { seen: 0 } });
  expect(
    await sqlRows(stages.db, 'SELECT 1 AS one FROM product_identifier WHERE product = $1', [ours(1)]),
  ).toEqual([]);
  stages.store.put(withSku(snapshot(2), 'SKU-1'));
  expect(await stages.sync()).toMatchObject({ counts: { created: 1, conflicted: 0 } });
  expect(skuOf(ours(2))).toBe('SKU-1');
});

it('products that the catalog never took give their identifiers up also where there are more than are kept in memory', async () => {
  await stages.db.affected(
    `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
     SELECT $1, 'sku', 'sku ' || n, 'sku ' || n, 'product ' || n, $2, 'product ' || n FROM generate_series(1, 1200) AS n`,
    [WORKSPACE, STORE],
  );
  stages.store.put(snapshot(1));
  expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
  expect(await sqlRows(stages.db, 'SELECT DISTINCT product FROM product_identifier')).toEqual([
    { product: ours(1) },
  ]);
});
