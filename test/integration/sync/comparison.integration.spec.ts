import { beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprint } from '../../../src/domain/fingerprint.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';
import { OwedRepository } from '../../../src/persistence/owed.repository.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2), snapshot(3));
  await stages.sync();
});

/** Numbers of the products that the next full run plans an action for. */
async function plannedByTheNextRun(): Promise<string[]> {
  const run = await stages.sync();
  expect(run.counts).toMatchObject({ seen: 3 });
  return (await stages.actionsOf(run.id)).map(({ externalId }) => externalId.split(':')[2] ?? '');
}

describe('a product whose effective source is the one that was pushed', () => {
  it('is not planned where it moved without a change that matters', async () => {
    stages.store.edit('2', { updatedAt: new Date('2026-11-20T10:00:00Z') });
    expect(await plannedByTheNextRun()).toEqual([]);
  });

  it('takes the fingerprint of new rules without an action where they change nothing that was pushed', async () => {
    const { sourceFingerprint } = await stages.link(2);
    await stages.db.affected(
      `UPDATE store_product SET source_fingerprint = 'of earlier rules' WHERE external_id = $1`,
      [snapshot(2).externalId],
    );
    expect(await plannedByTheNextRun()).toEqual([]);
    expect(await stages.link(2)).toMatchObject({ sourceFingerprint });
  });

  it('counts as it is shown first where the export shows it again with another text', async () => {
    stages.store.repeated = [1, 2, 3].map((id) => snapshot(id, { vendor: 'Other' }));
    expect(await plannedByTheNextRun()).toEqual([]);
  });

  it('is planned again after what was pushed has moved, whoever moved it', async () => {
    await stages.db.affected(
      `UPDATE store_product SET source_fingerprint = 'other', pushed_fields = '{}' WHERE external_id = $1`,
      [snapshot(2).externalId],
    );
    expect(await plannedByTheNextRun()).toEqual(['2']);
  });
});

it.each([
  ['an export', true, true],
  ['a full read by pages', true, false],
  ['an incremental read', false, false],
])(
  'a product that proves malformed in %s is owed by name, and the others go on',
  async (_read, full, exports) => {
    stages.store.exports = exports;
    await stages.sync();
    stages.store.malformed.add('2');
    const updatedAt = new Date();
    for (const id of ['1', '2', '3']) stages.store.edit(id, { vendor: 'Other', updatedAt });
    expect(await stages.sync({ full })).toMatchObject({
      state: 'partial',
      counts: { updated: 2, owed: 1, orphaned: 0 },
    });
    const owed = new OwedRepository(stages.db);
    expect(await owed.page(STORE, '', 10)).toMatchObject([
      {
        ...{ externalId: snapshot(2).externalId, storeId: '2' },
        ...{ code: 'not_understood', detail: 'malformed product data, 2' },
      },
    ]);
    // Owed products are read by their ids, and the fault is still theirs alone.
    stages.store.edit('3', { vendor: 'Another', updatedAt });
    expect(await stages.sync({ full: false })).toMatchObject({ state: 'partial', counts: { updated: 1 } });
    stages.store.malformed.clear();
    await stages.sync({ full: false });
    expect(await owed.page(STORE, '', 10)).toEqual([]);
  },
);

it('a product whose identity cannot be settled is owed by name, and the run goes on', async () => {
  stages.store.put(withSku(snapshot(4), 'SHARED'), withSku(snapshot(5), 'SHARED'));
  const fails = snapshot(4).externalId;
  await stages.db.dataSource.query(`CREATE FUNCTION without_body() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.external_id = '${fails}' THEN NEW.body = NULL; END IF; RETURN NEW; END $$;
    CREATE TRIGGER without_body BEFORE INSERT ON sync_action FOR EACH ROW EXECUTE FUNCTION without_body()`);
  try {
    expect(await stages.sync()).toMatchObject({ state: 'partial', counts: { created: 1, owed: 1 } });
  } finally {
    await stages.db.dataSource.query('DROP FUNCTION without_body CASCADE');
  }
  expect(await new OwedRepository(stages.db).page(STORE, '', 10)).toMatchObject([
    { externalId: fails, code: 'not_understood', detail: expect.stringContaining('holds no product') },
  ]);
});

it('a foreign catalog product with texts that no database holds fails nothing', async () => {
  stages.store.put(snapshot(4));
  const foreign = { name: 'Foreign', sku: 'SKU\u00004', barcode: '\ud800', external_id: 'x\u0000y' };
  stages.catalog.products.set(900, { id: 900, ...foreign });
  expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
});

it('identifiers that no index takes fail nothing, and are compared like any other', async () => {
  const long = Array.from({ length: 200 }, (_unused, index) => fingerprint(index)).join('');
  stages.store.put(withSku(snapshot(4), long), withSku(snapshot(5), ` ${long.toUpperCase()}`), snapshot(6));
  stages.catalog.hold({ name: 'Foreign', sku: `a${long}`, external_id: long });
  const held = stages.catalog.hold({ name: 'Foreign', barcode: `b${long}`, external_id: `b${long}` });
  const [only] = snapshot(7).variants;
  stages.store.put(snapshot(7, { variants: [{ ...only!, barcode: `b${long}` }] }));
  expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 4, conflicted: 3 } });
  const { withheld = [] } = (await stages.links.get(snapshot(7).externalId)) ?? {};
  expect(withheld).toMatchObject([{ kind: 'barcode', holder: { catalogId: String(held.id) } }]);
});

it('a description beyond all bounds and an attribute as deep as a well fail or change their own product alone', async () => {
  stages.store.put(
    snapshot(4, {
      descriptionHtml: `<table><tr><td colspan="100000" rowspan="30000000">wide</td></tr></table>`,
    }),
    snapshot(5, { descriptionHtml: 'x'.repeat(1_000_001) }),
    snapshot(6, { descriptionHtml: '<b>'.repeat(40_000) }),
  );
  const run = await stages.sync();
  expect(run).toMatchObject({ state: 'partial', counts: { created: 2, owed: 1 } });
  const [owed] = await new OwedRepository(stages.db).page(STORE, '', 10);
  expect(owed).toMatchObject({
    externalId: snapshot(5).externalId,
    label: snapshot(5).title,
    detail: expect.stringContaining('1000001 characters'),
  });
});
