import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import type { CatalogProductBody } from '../../../src/domain/catalog-product.js';
import { OwedRepository } from '../../../src/persistence/owed.repository.js';
import {
  plannedAction,
  type NewAction,
  type PlannedAction,
  type UnchangedProduct,
} from '../../../src/persistence/plan-rows.js';
import type { PlannedRun } from '../../../src/persistence/plan-session.js';
import { PlanTransaction } from '../../../src/persistence/plan-transaction.js';
import { MaybeSet } from '../../../src/runtime/maybe-set.js';
import { snapshot } from '../../support/fake-store.js';
import { sqlRow, sqlRows } from '../../support/sql.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

let stages: Stages;
let planned: PlannedRun;
let plan: PlanTransaction;
/** Both products, found unchanged under new rules. */
let learned: UnchangedProduct[];

const LEASE = 'planner';
const first = snapshot(1).externalId;
const second = snapshot(2).externalId;

beforeAll(async () => {
  stages = await Stages.open();
  // A write that has to wait for the plan fails instead of hanging.
  await stages.db.dataSource.query(
    `ALTER DATABASE ${new URL(stages.url).pathname.slice(1)} SET lock_timeout = '2s'`,
  );
});
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2));
  await stages.sync();
  const request = { store: STORE, workspace: WORKSPACE, kind: 'full', trigger: 'command' } as const;
  planned = {
    id: (await stages.runs.request(request))!.id,
    store: STORE,
    workspace: WORKSPACE,
    lease: LEASE,
  };
  await stages.runs.claim(planned.id, LEASE, 60_000);
  plan = await PlanTransaction.begin(stages.db, planned);
  const met = await plan.reads.meet([first, second]);
  learned = [first, second].map((externalId) => ({
    externalId,
    before: met.get(externalId)!.sourceFingerprint,
    fingerprint: 'new',
  }));
});
afterAll(async () => stages.close());

const commit = async (): Promise<boolean> => {
  try {
    return await plan.commit(LEASE, {
      readFrom: new Date(),
      full: true,
      complete: true,
      proved: false,
      notCompared: null,
      counts: {},
    });
  } finally {
    await plan.end();
  }
};

describe('while a plan is made', () => {
  it('a product is met once, also where a later batch shows it again beside a new one', async () => {
    const third = snapshot(3).externalId;
    expect([...(await plan.reads.meet([first, third]))]).toEqual([[third, null]]);
    await plan.reads.allMet();
    expect(await plan.reads.metOf([first, second, third, 'unknown'])).toEqual(
      new Set([first, second, third]),
    );
    expect(await commit()).toBe(true);
  });

  it('a product that only seems to come again is met all the same', async () => {
    const add = jest.spyOn(MaybeSet.prototype, 'add').mockReturnValue(true);
    try {
      const third = snapshot(3).externalId;
      expect([...(await plan.reads.meet([first, third]))]).toEqual([[third, null]]);
    } finally {
      add.mockRestore();
      await plan.end();
    }
  });

  it('the next plan on a connection has empty tables without the indexes of a large plan', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => snapshot(100 + index).externalId);
    await plan.reads.meet(many);
    await plan.reads.allMet();
    const indexes = (runner?: QueryRunner) =>
      sqlRow<{ count: string }>(
        stages.db,
        // Without the table it would be no proof.
        `SELECT count(*) FROM pg_index WHERE indrelid = 'pg_temp.seen'::regclass`,
        [],
        runner,
      );
    expect(await indexes(plan.transaction)).toEqual({ count: '1' });
    expect(await commit()).toBe(true);
    const run = { id: randomUUID(), store: STORE, workspace: WORKSPACE };
    const next = await PlanTransaction.begin(stages.db, run, { dry: true });
    try {
      expect(await next.reads.metOf(many)).toEqual(new Set());
      expect(await indexes(next.transaction)).toEqual({ count: '0' });
    } finally {
      await next.end();
    }
  });

  it('rows of other stores are not read when its own identifiers are looked through', async () => {
    // In the order of the external_ids, others come before and after it.
    for (const [store, products] of [
      ['a', 10_000],
      [STORE, 1_000],
      ['z', 10_000],
    ]) {
      await stages.db.dataSource.query(
        `WITH product AS (
           INSERT INTO store_product (external_id, store, workspace, store_id, label, state)
           SELECT $1 || ':' || number, $1, $1, number, number, 'linked' FROM generate_series(1, $2) AS number RETURNING external_id
         )
         INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
         SELECT $1, kind, external_id, external_id, external_id, $1, external_id FROM product, unnest(ARRAY['sku', 'barcode', 'mpn']) AS kind`,
        [store, products],
      );
    }
    await stages.db.dataSource.query('ANALYZE product_identifier, store_product');
    const spy = jest.spyOn(stages.db, 'read');
    await plan.owed.findUnlinked();
    const [, statement, values] = spy.mock.calls[0]!;
    spy.mockRestore();
    await plan.end();
    const explained: unknown = await stages.db.dataSource.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
      [...values!],
    );
    const scans = JSON.stringify(explained).matchAll(
      /"Relation Name":"(\w+)"[^{}]*"Actual Rows":(\d+)[^{}]*"Actual Loops":(\d+)/g,
    );
    const read = Map.groupBy(scans, ([, table]) => table);
    const rowsOf = (table: string): number =>
      read.get(table)!.reduce((sum, [, , rows, loops]) => sum + Number(rows) * Number(loops), 0);
    // The store has two more products with an identifier each. The first and the last row are looked up besides.
    expect([rowsOf('product_identifier'), rowsOf('store_product')]).toEqual([3_004, 1_002]);
  });

  it('identifiers that it has added are not read again for other products', async () => {
    const read = async (): Promise<number> => {
      const row = await sqlRow<{ rows: string }>(
        stages.db,
        `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'product_identifier'`,
        [],
        plan.transaction,
      );
      return Number(row!.rows);
    };
    // As in a new database: the table has no size, and a column that gets a type, even its own, loses its statistics.
    await stages.db.dataSource.query(
      'TRUNCATE product_identifier; ALTER TABLE product_identifier ALTER COLUMN store TYPE text, ALTER COLUMN product TYPE text',
    );
    await plan.transaction.query(
      `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
       SELECT $1, 'sku', number, number, $2 || ':' || number, $2, $2 || ':' || number FROM generate_series(1, 30000) AS number`,
      [WORKSPACE, STORE],
    );
    const before = await read();
    await plan.actions.add(
      Array.from({ length: 200 }, (_, index) => {
        const owner = snapshot(5_000 + index).externalId;
        return creation(5_000 + index, 'Lumen', [{ kind: 'sku', value: owner, owner }]);
      }),
    );
    const more = (await read()) - before;
    await plan.end();
    expect(more).toBeLessThan(200);
  });

  it('no join goes through a whole table for each row, which a first load of 100,000 products would notice', async () => {
    const setting = (runner?: QueryRunner) =>
      sqlRow<{ enableMaterial: string }>(stages.db, 'SHOW enable_material', [], runner);
    expect(await setting(plan.transaction)).toEqual({ enableMaterial: 'off' });
    await commit();
    expect(await setting()).toEqual({ enableMaterial: 'on' });
  });

  it('the products that it has read can be written by others', async () => {
    expect(await stages.links.takeForWriting(first, 'writer', 60_000)).toBe(true);
    await stages.db.affected(`UPDATE store_product SET written = '{}' WHERE external_id = $1`, [second]);
    await plan.end();
  });

  it.each([
    ['is kept at once, because it is true whatever comes of the plan', LEASE, 'new'],
    ['is not kept after another worker has taken the run over', 'of another worker', undefined],
    ['is not kept in a dry run, which has no lease', null, undefined],
  ])('the fingerprint of an unchanged product %s', async (_what, lease, kept) => {
    await plan.end();
    const next = await PlanTransaction.begin(stages.db, { ...planned, lease });
    try {
      await next.reads.rememberUnchanged(learned);
    } finally {
      await next.end();
    }
    for (const [number, { before }] of learned.entries())
      expect(await stages.link(number + 1)).toMatchObject({ sourceFingerprint: kept ?? before });
  });

  it('a product that was pushed after it was compared keeps the fingerprint of that push', async () => {
    await stages.db.affected(
      `UPDATE store_product SET source_fingerprint = 'pushed' WHERE external_id = $1`,
      [first],
    );
    await plan.reads.rememberUnchanged(learned);
    await plan.end();
    expect(await stages.link(1)).toMatchObject({ sourceFingerprint: 'pushed' });
    expect(await stages.link(2)).toMatchObject({ sourceFingerprint: 'new' });
  });
});

function creation(
  storeId: number,
  vendor: string,
  identifiers: NewAction['identifiers'] = null,
): PlannedAction {
  const { externalId } = snapshot(storeId);
  return plannedAction({
    kind: 'create',
    externalId,
    storeId: String(storeId),
    label: `Lamp ${vendor}`,
    reason: 'new in the store',
    catalogId: null,
    fields: [],
    body: { external_id: externalId, vendor } as unknown as CatalogProductBody,
    withheld: [],
    sourceFingerprint: 'f',
    seen: {},
    identifiers,
    wantsGeneration: true,
    recreated: false,
  });
}

describe('the identifiers that a plan would send', () => {
  afterEach(async () => plan.end());

  const skus = async (limit: number): Promise<string[]> =>
    (await plan.catalog.identifiersToClear(limit)).map(({ kind, value }) => `${kind} ${value}`).sort();
  const withSku = (storeId: number, value: string): PlannedAction =>
    creation(storeId, 'One', [{ kind: 'sku', value, owner: snapshot(storeId).externalId }]);

  it('are all named, each once, however many products share the first ones', async () => {
    const sharing = Array.from({ length: 40 }, (_, index) => withSku(100 + index, 'SHARED'));
    await plan.actions.add([...sharing, withSku(200, 'OWN'), withSku(201, 'OTHER')]);
    expect(await skus(3)).toEqual(['sku OTHER', 'sku OWN', 'sku SHARED']);
    expect(await skus(4)).toEqual(['sku OTHER', 'sku OWN', 'sku SHARED']);
  });

  it('are noted once where they are known already, also as another store’s', async () => {
    const { externalId } = snapshot(100);
    const noted = () =>
      sqlRows(
        stages.db,
        'SELECT value, owner, product, wanted FROM product_identifier WHERE owner = $1 ORDER BY value',
        [externalId],
      );
    await stages.db.affected(
      `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product, wanted)
       VALUES ('default', 'sku', 'moved', 'MOVED', $1, 'other', 'another', false)`,
      [externalId],
    );
    await plan.actions.add([withSku(100, 'MOVED'), withSku(101, 'NEW')]);
    expect(await skus(5)).toEqual(['sku NEW']);
    expect(await commit()).toBe(true);
    expect(await noted()).toEqual([{ value: 'MOVED', owner: externalId, product: 'another', wanted: true }]);
  });

  it('are no more than the limit', async () => {
    await plan.actions.add(Array.from({ length: 40 }, (_, index) => withSku(100 + index, String(index))));
    expect(await skus(5)).toHaveLength(5);
    expect(await skus(40)).toHaveLength(40);
    expect(await skus(41)).toHaveLength(40);
  });
});

describe('an action with a value that the database refuses', () => {
  it.each([
    ['U+0000', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud800b'],
  ])('fails by name and is owed, and the others are planned: %s', async (_name, vendor) => {
    await plan.actions.add([creation(11, 'One'), creation(12, vendor), creation(13, 'Three')]);
    expect(await plan.catalog.prepareHolders()).toBe(true);
    expect(await plan.catalog.actionsToResolve('0', 10)).toEqual([]);
    expect(await commit()).toBe(true);
    const run = (await stages.runs.latest(STORE, 1))[0]!;
    expect((await stages.actionsOf(run.id)).map(({ externalId, state }) => [externalId, state])).toEqual([
      [snapshot(11).externalId, 'planned'],
      [snapshot(12).externalId, 'failed'],
      [snapshot(13).externalId, 'planned'],
    ]);
    expect(await stages.actions.failures(run.id, 10)).toMatchObject([
      { label: expect.stringContaining('Lamp a'), error: { code: 'invalid' } },
    ]);
    expect(await new OwedRepository(stages.db).get(snapshot(12).externalId)).toMatchObject({
      code: 'refused',
    });
  });
});
