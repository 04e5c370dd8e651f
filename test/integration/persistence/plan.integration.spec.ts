import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CatalogProductBody } from '../../../src/domain/catalog-product.js';
import { CatalogListingRows } from '../../../src/persistence/catalog-listing.rows.js';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { OwedRepository } from '../../../src/persistence/owed.repository.js';
import type { NewAction, PlannedRun, UnchangedProduct } from '../../../src/persistence/plan-rows.js';
import { Plan } from '../../../src/persistence/plan.js';
import { RetentionRepository } from '../../../src/persistence/retention.repository.js';
import { RunItemRepository } from '../../../src/persistence/run-item.repository.js';
import { snapshot } from '../../support/fake-store.js';
import { sqlRow, sqlRows } from '../../support/sql.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
let planned: PlannedRun;
let plan: Plan;

const LEASE = 'planner';
const first = snapshot(1).externalId;
const second = snapshot(2).externalId;

beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2));
  await stages.sync();
  const request = { store: STORE, workspace: WORKSPACE, kind: 'full', trigger: 'command' } as const;
  const id = (await stages.runs.request(request))!.id;
  planned = { id, store: STORE, workspace: WORKSPACE, lease: LEASE, isDry: false };
  await stages.runs.claim(id, LEASE);
  await stages.runs.beginRead(id, LEASE);
  plan = await Plan.begin(stages.db, planned);
});

const commit = (over: { incomplete?: null } = {}): Promise<boolean> =>
  plan.commit({
    ...{
      full: true,
      scope: 'scope',
      incomplete: 'cut off',
      gone: [],
      notCompared: null,
      counts: {},
    },
    ...over,
  });

/** Another worker holds the run from now on. */
async function takeOver(): Promise<Plan> {
  await stages.db.affected(`UPDATE sync_run SET lease = 'other' WHERE id = $1`, [planned.id]);
  return Plan.begin(stages.db, { ...planned, lease: 'other' });
}

const rowsOf = async (table: string): Promise<number> =>
  Number(
    (await sqlRow<{ count: string }>(stages.db, `SELECT count(*) FROM ${table} WHERE run_id = $1`, [
      planned.id,
    ]))!.count,
  );

function creation(
  storeId: number,
  vendor = 'Lumen',
  identifiers: NewAction['identifiers'] = null,
): NewAction {
  const { externalId } = snapshot(storeId);
  return {
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
  };
}

const withSku = (storeId: number, value: string): NewAction =>
  creation(storeId, 'One', [{ kind: 'sku', value, owner: snapshot(storeId).externalId }]);

describe('while a plan is made', () => {
  it('a product is fresh once, also where a later batch shows it again beside a new one', async () => {
    const third = snapshot(3).externalId;
    expect([...(await plan.reads.firstSeen([first, second])).keys()].sort()).toEqual([first, second]);
    expect([...(await plan.reads.firstSeen([first, third, third]))]).toEqual([[third, null]]);
    expect(await plan.reads.seenOf([first, second, third, 'unknown'])).toEqual(
      new Set([first, second, third]),
    );
  });

  it('no transaction stays open, so that nothing holds back vacuum', async () => {
    await plan.reads.firstSeen([first, second]);
    await plan.actions.add([creation(11)]);
    const open = `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
    expect(await sqlRows(stages.db, open)).toEqual([]);
  });

  it('nobody sees its actions: not as history, not as items of the run, not as work', async () => {
    await plan.actions.add([withSku(11, 'SKU-11')]);
    const { externalId } = snapshot(11);
    const history = new HistoryRepository(stages.db);
    expect(await history.knows(externalId)).toBe(false);
    expect(await history.actions(externalId)).toEqual([]);
    expect((await history.newest([externalId])).actions).toEqual([]);
    expect(await new RunItemRepository(stages.db).counts(planned.id)).toMatchObject({
      planned: 0,
      failed: 0,
    });
    expect(await stages.actions.open(planned.id, '0', 10)).toEqual([]);
    expect(await stages.actions.newest(externalId)).toBeNull();
    expect(await sqlRows(stages.db, `SELECT 1 FROM product_identifier WHERE value = 'SKU-11'`)).toEqual([]);
    expect(await commit()).toBe(true);
    expect(await history.actions(externalId)).toMatchObject([{ kind: 'create', state: 'planned' }]);
    expect(
      await sqlRows(stages.db, `SELECT owner, wanted FROM product_identifier WHERE value = 'SKU-11'`),
    ).toEqual([{ owner: externalId, wanted: true }]);
  });

  it('what a worker left that died is removed before the run is planned again', async () => {
    await plan.reads.firstSeen([first]);
    await plan.actions.add([withSku(11, 'SKU-11')]);
    const again = await takeOver();
    expect([
      await rowsOf('sync_action'),
      await rowsOf('planned_identifier'),
      await rowsOf('seen_product'),
    ]).toEqual([0, 0, 0]);
    expect([...(await again.reads.firstSeen([first])).keys()]).toEqual([first]);
  });

  it('a worker that has lost the run neither adds to the plan of the next one nor takes anything from it', async () => {
    const next = await takeOver();
    await next.reads.firstSeen([first]);
    await next.actions.add([withSku(11, 'SKU-11')]);
    await plan.reads.firstSeen([second]);
    await plan.actions.add([withSku(12, 'SKU-12')]);
    await plan.actions.planGone(['1']);
    await plan.actions.withdraw([snapshot(11).externalId]);
    await plan.discard();
    expect(await commit({ incomplete: null })).toBe(false);
    expect(await next.reads.seenOf([first, second])).toEqual(new Set([first]));
    expect(await sqlRows(stages.db, 'SELECT value FROM planned_identifier')).toEqual([{ value: 'SKU-11' }]);
    expect(await rowsOf('sync_action')).toBe(1);
  });

  it('what is left of it is removed once its run has ended', async () => {
    await plan.reads.firstSeen([first]);
    await plan.actions.add([withSku(11, 'SKU-11')]);
    await stages.db.affected('DELETE FROM sync_run WHERE id = $1', [planned.id]);
    await new RetentionRepository(stages.db).remove(30, 100, () => Promise.resolve(true));
    expect([
      await rowsOf('sync_action'),
      await rowsOf('planned_identifier'),
      await rowsOf('seen_product'),
    ]).toEqual([0, 0, 0]);
  });
});

describe('the fingerprint of an unchanged product', () => {
  let learned: UnchangedProduct[];
  beforeEach(async () => {
    const fresh = await plan.reads.firstSeen([first, second]);
    learned = [first, second].map((externalId) => ({
      externalId,
      before: fresh.get(externalId)!.sourceFingerprint,
      fingerprint: 'new',
    }));
  });

  it.each([
    ['is kept at once, because it is true whatever comes of the plan', {}, 'new'],
    ['is not kept after another worker has taken the run over', { lease: 'of another worker' }, undefined],
    ['is not kept in a dry run', { isDry: true }, undefined],
  ])('%s', async (_what, over, kept) => {
    await Plan.of(stages.db, { ...planned, ...over }).reads.rememberUnchanged(learned);
    for (const [number, { before }] of learned.entries())
      expect(await stages.link(number + 1)).toMatchObject({ sourceFingerprint: kept ?? before });
  });

  it('is that of the push where the product was pushed after it was compared', async () => {
    await stages.db.affected(
      `UPDATE store_product SET source_fingerprint = 'pushed' WHERE external_id = $1`,
      [first],
    );
    await plan.reads.rememberUnchanged(learned);
    expect(await stages.link(1)).toMatchObject({ sourceFingerprint: 'pushed' });
    expect(await stages.link(2)).toMatchObject({ sourceFingerprint: 'new' });
  });
});

describe('the end of a plan', () => {
  it('settles what was owed before the read began, and nothing that was noted since', async () => {
    const owed = new OwedRepository(stages.db);
    const note = (externalId: string) =>
      owed.note(STORE, [{ externalId, storeId: externalId, label: '', code: 'changed', detail: null }]);
    await note(first);
    await stages.runs.beginRead(planned.id, LEASE);
    await note(second);
    await plan.reads.firstSeen([first, second]);
    expect(await commit({ incomplete: null })).toBe(true);
    expect((await owed.page(STORE, '', 10)).map(({ externalId }) => externalId)).toEqual([second]);
  });

  it('keeps nothing when another worker has taken the run over', async () => {
    await plan.actions.add([withSku(11, 'SKU-11')]);
    await stages.db.affected(`UPDATE sync_run SET lease = 'other' WHERE lease = $1`, [LEASE]);
    expect(await commit()).toBe(false);
    expect(await stages.actions.open(planned.id, '0', 10)).toEqual([]);
    expect(await sqlRows(stages.db, `SELECT 1 FROM product_identifier WHERE value = 'SKU-11'`)).toEqual([]);
  });

  it('does not come when the listing that the plan was compared with is gone', async () => {
    await stages.db.affected(`INSERT INTO catalog_listing (workspace, read_at) VALUES ($1, now())`, [
      WORKSPACE,
    ]);
    const [listing] = await sqlRows<{ id: string }>(stages.db, 'SELECT max(id) AS id FROM catalog_listing');
    await plan.useListing(listing!.id);
    const rows = new CatalogListingRows(stages.db);
    await rows.removeBefore('9999999', WORKSPACE);
    expect(
      await sqlRows(stages.db, 'SELECT id FROM catalog_listing WHERE id = $1', [listing!.id]),
    ).toHaveLength(1);
    await stages.db.affected('DELETE FROM catalog_listing');
    await expect(commit()).rejects.toMatchObject({ code: 'transient' });
  });

  it('leaves a product orphaned that another transaction orphaned while its action came to nothing', async () => {
    const holder = { whose: 'this_store', externalIds: [], catalogId: null } as const;
    const withheld = [{ kind: 'sku', value: 'SKU-1', owner: first, reason: 'shared', holder }] as const;
    await plan.actions.add([{ ...creation(1), kind: 'update', catalogId: '7' }]);
    const [action] = await sqlRows<{ id: string }>(
      stages.db,
      'SELECT id FROM sync_action WHERE run_id = $1',
      [planned.id],
    );
    await plan.actions.drop([{ id: action!.id, withheld }]);
    await stages.db.affected(`UPDATE store_product SET state = 'orphaned' WHERE external_id = $1`, [first]);
    expect(await commit()).toBe(true);
    expect(await stages.link(1)).toMatchObject({ state: 'orphaned', withheld });
    expect(await rowsOf('sync_action')).toBe(0);
  });
});

describe('the identifiers that a plan would send', () => {
  const skus = async (limit: number): Promise<string[]> =>
    (await plan.identities.toClear(limit)).map(({ kind, value }) => `${kind} ${value}`).sort();

  it('are all named, each once, however many products share the first ones', async () => {
    const sharing = Array.from({ length: 40 }, (_, index) => withSku(100 + index, 'SHARED'));
    await plan.actions.add([...sharing, withSku(200, 'OWN'), withSku(201, 'OTHER')]);
    expect(await skus(3)).toEqual(['sku OTHER', 'sku OWN', 'sku SHARED']);
    expect(await skus(4)).toEqual(['sku OTHER', 'sku OWN', 'sku SHARED']);
  });

  it('are noted once where they are known already, also as another store’s', async () => {
    const { externalId } = snapshot(100);
    await stages.db.affected(
      `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product, wanted)
       VALUES ('default', 'sku', 'moved', 'MOVED', $1, 'other', 'another', false)`,
      [externalId],
    );
    await plan.actions.add([withSku(100, 'MOVED'), withSku(101, 'NEW')]);
    expect(await commit()).toBe(true);
    expect(
      await sqlRows(
        stages.db,
        'SELECT value, owner, product, wanted FROM product_identifier WHERE owner = $1',
        [externalId],
      ),
    ).toEqual([{ value: 'MOVED', owner: externalId, product: 'another', wanted: true }]);
  });

  it('are owned by the plan’s products as the plan has them, and by all others as they were claimed', async () => {
    await plan.actions.add([
      withSku(1, 'GIVEN'),
      withSku(11, 'GIVEN'),
      withSku(12, 'SKU-2'),
      withSku(13, 'SKU-1'),
    ]);
    const products = [1, 11, 12, 13].map((id) => snapshot(id).externalId);
    const [one, eleven, twelve, thirteen] = products;
    expect(await plan.identities.owners(products)).toEqual(
      new Map([
        ['sku\u0000given', [one, eleven].sort()],
        ['sku\u0000sku-2', [second, twelve].sort()],
        // The catalog may still hold what the first product has given up.
        ['sku\u0000sku-1', [first, thirteen].sort()],
      ]),
    );
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
    expect(await plan.identities.areNeeded()).toBe(true);
    expect(await plan.identities.toResolve()).toEqual([]);
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
    expect(await stages.owedRow(snapshot(12).externalId)).toMatchObject({
      code: 'refused',
    });
  });
});

describe('a plan whose process died while it made it', () => {
  const end = { kind: 'full', counts: {}, entries: 0, incomplete: null, deletes: false } as const;
  const begin = (isKept: boolean) => stages.plans.begin(STORE, WORKSPACE, { isKept });

  const lapse = ({ id }: PlannedRun) =>
    stages.db.affected(`UPDATE sync_run SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);

  it('is ended by the next look of the scheduler, with the reason; a dry run goes', async () => {
    const [review, dry] = [await begin(true), await begin(false)];
    const half = await Plan.begin(stages.db, review);
    await half.actions.add([creation(3)]);
    await lapse(review);
    await lapse(dry);
    const drafts = () => sqlRows(stages.db, 'SELECT 1 FROM sync_action WHERE run_id = $1', [review.id]);
    expect(await drafts()).toHaveLength(1);
    await stages.runs.endLostPlans();
    expect(await stages.plans.get(review.id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('make a new one'),
    });
    expect(await sqlRows(stages.db, 'SELECT 1 FROM sync_run WHERE id = $1', [dry.id])).toEqual([]);
    expect(await drafts()).toEqual([]);
    // A process that was only slow learns of it.
    expect(await stages.plans.keepLease(review)).toBe(false);
    await expect(stages.plans.finish(review, end)).rejects.toThrow('was ended while it was made');
  });

  it('is not ended while the process lives', async () => {
    const review = await begin(true);
    expect(await stages.plans.keepLease(review)).toBe(true);
    await stages.runs.endLostPlans();
    await stages.plans.finish(review, end);
    expect(await stages.plans.get(review.id)).toMatchObject({ state: 'saved', error: null });
  });
});
