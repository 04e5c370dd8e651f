import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import type { SourceProduct } from '../../../src/domain/store-port.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';
import { OwedRepository } from '../../../src/persistence/owed.repository.js';

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
});
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2), snapshot(3));
  await stages.sync();
  stages.store.parsed = [];
});
afterAll(async () => stages.close());

/** Numbers of the products that the next full run parses. */
async function parsedByTheNextRun(): Promise<string[]> {
  stages.store.parsed = [];
  const run = await stages.sync();
  expect(run.counts).toMatchObject({ seen: 3 });
  return stages.store.parsed.map((externalId) => externalId.split(':')[2] ?? '');
}

describe('a product that an export shows exactly as it was pushed', () => {
  it('is not parsed', async () => {
    expect(await parsedByTheNextRun()).toEqual([]);
  });

  it('is not parsed beside others that changed', async () => {
    stages.store.edit('2', { vendor: 'Other' });
    expect(await parsedByTheNextRun()).toEqual(['2']);
    expect(await parsedByTheNextRun()).toEqual([]);
  });

  it('is parsed once where it moved without a change that matters', async () => {
    stages.store.edit('2', { updatedAt: new Date('2026-11-20T10:00:00Z') });
    expect(await parsedByTheNextRun()).toEqual(['2']);
    expect(await parsedByTheNextRun()).toEqual([]);
  });

  it('is parsed again under other settings', async () => {
    stages.settings = { store: { filter: { status: ['ACTIVE', 'DRAFT'] } }, workspace: {} };
    expect(await parsedByTheNextRun()).toEqual(['1', '2', '3']);
    stages.settings = {
      store: { filter: { status: ['ACTIVE', 'DRAFT'] }, mapping: { mpn: 'custom.mpn' } },
      workspace: {},
    };
    expect(await parsedByTheNextRun()).toEqual(['1', '2', '3']);
  });

  it.each([
    ['of another basis', `mark = '00000000' || substr(mark, 9)`],
    ['of an earlier revision', 'revision = revision - 1'],
  ])('is parsed where its mark is %s', async (_which, change) => {
    await stages.db.affected(`UPDATE read_mark SET ${change} WHERE external_id = $1`, [
      snapshot(2).externalId,
    ]);
    expect(await parsedByTheNextRun()).toEqual(['2']);
    expect(await parsedByTheNextRun()).toEqual([]);
  });

  it('counts as it is shown first where the export shows it again with another text', async () => {
    const read = stages.store.readExport.bind(stages.store);
    stages.store.readExport = async function* (completed): AsyncGenerator<readonly SourceProduct[]> {
      const batches: (readonly SourceProduct[])[] = [];
      for await (const batch of read(completed)) batches.push(batch);
      yield* batches;
      for (const batch of batches)
        yield batch.map((product) => ({
          ...product,
          digest: product.digest?.replaceAll('0', 'f') ?? null,
          snapshot: () => ({ ...product.snapshot(), vendor: 'Other' }),
        }));
    };
    expect(await parsedByTheNextRun()).toEqual([]);
    stages.store.readExport = read;
  });

  it('leaves the scope with the setting that kept it in', async () => {
    stages.settings = { store: { filter: { status: ['DRAFT'] } }, workspace: {} };
    expect((await stages.sync()).counts).toMatchObject({ seen: 0, orphaned: 0 });
  });

  it.each([
    ['written', `'{}'`],
    ['pushed_fields', `'{}'`],
    ['source_fingerprint', `'other'`],
    ['withheld', `'[{"kind": "sku", "value": "x", "owner": "y", "reason": "z"}]'`],
  ])('is parsed again after its %s has moved, whoever moved it', async (column, value) => {
    await stages.db.affected(`UPDATE store_product SET ${column} = ${value} WHERE external_id = $1`, [
      snapshot(2).externalId,
    ]);
    expect(await parsedByTheNextRun()).toEqual(['2']);
  });
});

it('a product of which an identifier is withheld is parsed every time', async () => {
  stages.store.put(withSku(snapshot(3), 'SKU-1'));
  await parsedByTheNextRun();
  expect(await parsedByTheNextRun()).toContain('3');
});

it('a product that proves malformed is owed by name, and the run goes on with the others', async () => {
  stages.store.edit('1', { vendor: 'Other' });
  stages.store.edit('2', { vendor: 'Other' });
  const read = stages.store.readExport.bind(stages.store);
  stages.store.readExport = async function* (completed): AsyncGenerator<readonly SourceProduct[]> {
    for await (const batch of read(completed))
      yield batch.map((product) => ({
        ...product,
        snapshot: () => {
          if (product.externalId === snapshot(2).externalId)
            throw new CodedError('transient', 'line 7 of the export is malformed');
          return product.snapshot();
        },
      }));
  };
  expect(await stages.sync()).toMatchObject({
    state: 'partial',
    counts: { updated: 1, owed: 1, orphaned: 0 },
  });
  const owed = new OwedRepository(stages.db);
  expect(await owed.page(STORE, '', 10)).toMatchObject([
    {
      externalId: snapshot(2).externalId,
      storeId: snapshot(2).storeId,
      code: 'not_understood',
      detail: 'line 7 of the export is malformed',
    },
  ]);
  stages.store.readExport = read;
  expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1, owed: 0 } });
  expect(await owed.page(STORE, '', 10)).toEqual([]);
});

it.each([
  ['a full read by pages', true],
  ['an incremental read', false],
])('a product that proves malformed in %s is owed by name, and its page goes on', async (_read, full) => {
  stages.store.exports = false;
  await stages.sync();
  stages.store.malformed.add('2');
  const updatedAt = new Date();
  for (const id of ['1', '2', '3']) stages.store.edit(id, { vendor: 'Other', updatedAt });
  expect(await stages.sync({ full })).toMatchObject({ state: 'partial', counts: { updated: 2, owed: 1 } });
  const owed = new OwedRepository(stages.db);
  expect(await owed.page(STORE, '', 10)).toMatchObject([
    { externalId: snapshot(2).externalId, code: 'not_understood', detail: 'malformed product data, 2' },
  ]);
  // Owed products are read by their ids, and the fault is still theirs alone.
  stages.store.edit('3', { vendor: 'Another', updatedAt });
  expect(await stages.sync({ full: false })).toMatchObject({ state: 'partial', counts: { updated: 1 } });
  stages.store.malformed.clear();
  await stages.sync({ full: false });
  expect(await owed.page(STORE, '', 10)).toEqual([]);
});

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
