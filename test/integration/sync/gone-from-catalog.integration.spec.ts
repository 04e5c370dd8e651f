import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dryRunOf } from '../../support/dry-run-of.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot, variant } from '../../support/fake-store.js';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
});

const ours = (id: number): string => snapshot(id).externalId;

describe('in the sandbox, a product that was deleted in the catalog', () => {
  let catalog: SandboxCatalog;
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, {}, { pageSize: 2 });
    stages.store.put(snapshot(1), snapshot(2), modelSnapshot(3));
    await stages.sync();
  });
  afterEach(async () => catalog.close());

  const deleteHere = async (id: number): Promise<void> => {
    await catalog.client.deleteProduct((await stages.link(id)).catalogId ?? '');
  };

  it('is created again by the next full run, which says so, although nothing changed in the store', async () => {
    await deleteHere(1);
    await deleteHere(3);
    const { counts, actions } = await dryRunOf(stages);
    expect(counts).toMatchObject({ creates: 2, updates: 0, unchanged: 1 });
    expect(actions[0]).toMatchObject({ reason: 'its catalog product is gone: it is created again' });
    const run = await stages.sync();
    expect(run).toMatchObject({
      state: 'succeeded',
      counts: { seen: 3, created: 2, updated: 0, unchanged: 1 },
    });
    expect(run.notes.join()).toContain('2 products created again');
    expect(await catalog.of(ours(1))).toMatchObject({ sku: 'SKU-1', name: 'Product 1' });
    const model = await catalog.of(ours(3));
    expect(model?.variants).toMatchObject([{ sku: 'SKU-3-1' }, { sku: 'SKU-3-2' }]);
    expect(await stages.link(3)).toMatchObject({
      ...{ state: 'linked', catalogId: String(model?.id) },
      variantLinks: { [variant(3, 1).externalId]: String(model?.variants?.[0]?.id) },
    });
    expect(await stages.sync()).toMatchObject({
      ...{ state: 'succeeded', error: null },
      counts: { created: 0, unchanged: 3 },
    });
  });

  it('is linked to the product that somebody created under its external_id', async () => {
    await deleteHere(1);
    const id = await catalog.hold({ external_id: ours(1), name: 'Made by hand' });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1, created: 0 } });
    expect(await stages.link(1)).toMatchObject({ catalogId: id, state: 'linked' });
    expect(await catalog.of(ours(1))).toMatchObject({ name: 'Product 1', sku: 'SKU-1' });
  });
});

describe('while a full run plans its products', () => {
  beforeEach(async () => {
    stages.store.put(...[1, 2, 3].map((id) => snapshot(id)));
    await stages.sync();
  });

  it('the catalog’s listing is read beside them', async () => {
    const isRead = Promise.withResolvers<undefined>();
    stages.catalog.script.after('listProducts', () => isRead.resolve(undefined));
    // The second batch of products comes no sooner than the listing.
    stages.store.script.before('batch', () => undefined);
    stages.store.script.before('batch', () => isRead.promise);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { seen: 3, unchanged: 3 } });
  });

  it('none of them waits for the catalog’s listing', async () => {
    const arePlanned = Promise.withResolvers<undefined>();
    stages.catalog.script.before('listProducts', () => arePlanned.promise);
    stages.store.script.before('batch', () => undefined);
    stages.store.script.before('batch', () => arePlanned.resolve(undefined));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { seen: 3, unchanged: 3 } });
  });

  it('a product that changed in the store and is gone from the catalog is created again, once and as it is now', async () => {
    const { catalogId } = await stages.link(2);
    stages.store.put({ ...snapshot(2), title: 'Renamed' });
    stages.catalog.products.delete(Number(catalogId));
    const run = await stages.sync();
    expect(run).toMatchObject({
      state: 'succeeded',
      counts: { seen: 3, created: 1, updated: 0, unchanged: 2, failed: 0 },
    });
    expect(stages.catalog.countOf(ours(2))).toBe(1);
    expect(stages.catalog.of(ours(2))).toMatchObject({ name: 'Renamed' });
    expect(await stages.sync()).toMatchObject({ counts: { created: 0, updated: 0, unchanged: 3 } });
  });

  it('a product that left the store and is gone from the catalog is not created again', async () => {
    const { catalogId } = await stages.link(2);
    stages.store.products.delete('2');
    stages.catalog.products.delete(Number(catalogId));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { seen: 2, created: 0 } });
    expect(await stages.link(2)).toMatchObject({ state: 'orphaned' });
  });

  it('a fault of the store ends the run, and its listing is read no further', async () => {
    stages.catalog.pageSize = 1;
    stages.store.script.before('batch', refusal('transient'));
    expect(await stages.sync()).toMatchObject({ state: 'failed' });
    expect(stages.catalog.script.count('listProducts')).toBeLessThan(10);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 3 } });
  });
});

it('a product that is created again gets content, although a request for the lost one is open', async () => {
  stages.settings = { store: {}, workspace: {} };
  stages.store.put(snapshot(1));
  await stages.sync();
  const { id, catalogId } = (await stages.tasks.newest(ours(1)))!;
  stages.catalog.products.delete(Number(catalogId));
  expect(await stages.sync()).toMatchObject({ counts: { created: 1, generationRequested: 1 } });
  expect(await stages.tasks.get(id)).toMatchObject({
    state: 'abandoned',
    reason: 'its catalog product is gone',
  });
  const renewed = await stages.tasks.newest(ours(1));
  expect(renewed).toMatchObject({ state: 'requested', catalogId: (await stages.link(1)).catalogId });
});

describe('a product that the listing does not show', () => {
  const listedOnlyInPart = (id: number): void => {
    stages.catalog.hidden.add(ours(id));
  };

  beforeEach(async () => {
    stages.store.put(...[1, 2, 3].map((id) => snapshot(id)));
    await stages.sync();
  });

  it('is not created again while the catalog still has it under its id', async () => {
    listedOnlyInPart(2);
    expect(await stages.sync()).toMatchObject({
      state: 'succeeded',
      error: null,
      counts: { created: 0, unchanged: 3 },
    });
    expect(stages.catalog.countOf(ours(2))).toBe(1);
  });

  it('is not looked for where the listing was shorter than its count, and the run says so', async () => {
    const { catalogId } = await stages.link(2);
    stages.catalog.products.delete(Number(catalogId));
    stages.catalog.countsToo = 1;
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 0 } });
    expect(run.notes.join()).toContain('products deleted in the catalog were not looked for');
    stages.catalog.countsToo = 0;
    expect(await stages.sync()).toMatchObject({ counts: { created: 1 } });
  });

  it('is not created again where a deletion shifts it between two pages that are read', async () => {
    stages.catalog.pageSize = 1;
    const { catalogId } = await stages.link(1);
    let pages = 0;
    stages.catalog.script.after(
      'listProducts',
      async () => {
        pages += 1;
        if (pages === 1) stages.catalog.products.delete(Number(catalogId));
      },
      3,
    );
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 0 } });
    expect(run.notes.join()).toContain('the catalog’s listing was incomplete');
    expect(await stages.sync()).toMatchObject({ counts: { created: 1, unchanged: 2 } });
  });

  it('is not looked up one by one where the listing leaves out many that exist', async () => {
    stages.store.put(...Array.from({ length: 100 }, (_each, index) => snapshot(index + 1)));
    await stages.sync();
    for (let id = 1; id <= 90; id += 1) listedOnlyInPart(id);
    const before = stages.catalog.script.count('getProduct');
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 0, unchanged: 100 } });
    expect(run.notes.join()).toContain('the catalog’s listing leaves out products that exist');
    expect(stages.catalog.script.count('getProduct') - before).toBeLessThanOrEqual(20);
  });

  it('is not created again by a run that could not read the listing', async () => {
    const { catalogId } = await stages.link(2);
    stages.catalog.products.delete(Number(catalogId));
    stages.catalog.script.before('listProducts', refusal('transient'), 2);
    expect(await stages.sync()).toMatchObject({ state: 'failed', counts: { created: 0 } });
    expect(await stages.sync()).toMatchObject({ counts: { created: 1 } });
  });

  it('is not created twice while the catalog creates it in the background', async () => {
    stages.catalog.background = { polls: 1_000 };
    stages.store.put(modelSnapshot(4));
    await stages.sync();
    const creations = stages.catalog.creations.size;
    await stages.sync();
    expect(stages.catalog.creations.size).toBe(creations);
  });
});
