import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { SandboxCatalog, type HeldProduct } from '../../support/sandbox-stages.js';
import { Stages } from '../../support/stages.js';

const stages = await Stages.open();
let catalog: SandboxCatalog;
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
});
afterEach(async () => catalog.close());

const ours = (id: number): string => snapshot(id).externalId;

/** Another system names our product as its own: by a POST that matches its SKU, or by its id. */
async function takeOver(id: number, how: 'sku' | 'id'): Promise<HeldProduct> {
  const theirs = { external_id: `erp:${String(id)}`, name: 'Theirs' };
  if (how === 'sku')
    await catalog.client.upsertProduct({ ...theirs, sku: `SKU-${String(id)}` }, { locale: null });
  else await catalog.client.updateProduct((await stages.link(id)).catalogId ?? '', theirs);
  return (await catalog.of(theirs.external_id))!;
}

async function expectAsTheyWere(theirs: readonly HeldProduct[]): Promise<void> {
  for (const product of theirs) expect(await catalog.of(product.external_id)).toEqual(product);
}

/** The product in the workspace's language. */
async function ofOurs(id: number): Promise<object | null> {
  const held = await catalog.of(ours(id));
  return held === undefined ? null : catalog.client.getProduct(held.id);
}

/** A store event names the product: an incremental run asks for it by its id. */
async function announce(id: number): Promise<void> {
  await stages.db.affected(
    `INSERT INTO owed_product (external_id, store, store_id, label, code) VALUES ($1, 'main', $2, '', 'changed')`,
    [ours(id), String(id)],
  );
}

interface Reading {
  readonly name: string;
  readonly readings: Partial<CatalogReadings>;
  readonly locale?: string;
}
/** Readings that have nothing to do with each other are tried together. */
const MERGES: Reading = { name: 'POST matches variants, PATCH merges', readings: {} };
const REPLACES: Reading = {
  name: 'POST matches listed products only, PATCH replaces variants and merges objects, and only an empty text clears',
  readings: {
    ...{ postMatchesVariants: false, patchVariants: 'replace', patchObjects: 'merge', clearing: 'blank' },
  },
};
const BY_SKU: Reading = {
  name: 'the SKU wins over the external_id, and null changes nothing',
  readings: { matchOrder: ['sku', 'barcode', 'mpn', 'asin', 'external_id'], clearing: 'ignored-null' },
};
const LANGUAGES: Reading = {
  name: 'a language without texts is unknown',
  readings: { missingLocale: 'not-found', patchLocale: 'ignored' },
  locale: 'fr',
};

async function open({ readings, locale }: Reading, deleted: 'delete' | 'keep' = 'keep'): Promise<void> {
  const workspace = { generation: { mode: 'off' }, ...(locale === undefined ? {} : { locale }) };
  stages.settings = { store: { deleted }, workspace };
  catalog = await SandboxCatalog.open(stages, readings, { locale });
}

it.each([
  { ...MERGES, deleted: 'delete', full: true },
  { ...MERGES, deleted: 'keep', full: false },
  { ...REPLACES, deleted: 'delete', full: false },
  { ...BY_SKU, deleted: 'keep', full: true },
  { ...LANGUAGES, deleted: 'delete', full: true },
] as const)(
  'where $name, products that another system took over are never written again, and ours are created anew, with `deleted: $deleted` (full run: $full)',
  async ({ deleted, full, ...reading }) => {
    await open(reading, deleted);
    stages.store.put(snapshot(1), snapshot(2), modelSnapshot(3), modelSnapshot(4), snapshot(5));
    await stages.sync();
    const theirs = [
      await takeOver(1, 'sku'),
      await takeOver(2, 'sku'),
      await takeOver(3, 'id'),
      await takeOver(4, 'id'),
    ];
    // 1 and 3 leave the store, 2 and 4 are changed.
    const updatedAt = stages.clock.now();
    for (const id of [1, 3]) {
      stages.store.products.delete(String(id));
      if (!full) await announce(id);
    }
    stages.store.edit('2', { title: 'Edited', updatedAt });
    stages.store.edit('4', { variants: modelSnapshot(4).variants.slice(0, 1), updatedAt });
    const run = await stages.sync({ full });
    expect(run).toMatchObject({ counts: { created: 2, orphaned: 2, failed: 0 } });
    expect((await stages.actionsOf(run.id)).map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining(`catalog product ${theirs[0]?.id} belongs to erp:1 now: it is left alone`),
    );
    await expectAsTheyWere(theirs);
    expect(await ofOurs(1)).toBeNull();
    expect(await ofOurs(3)).toBeNull();
    expect(await ofOurs(2)).toMatchObject({ name: 'Edited', sku: null });
    expect(await ofOurs(4)).toMatchObject({ name: 'Product 4' });
    expect(await stages.link(1)).toMatchObject({ state: 'orphaned', catalogId: null });
    expect(await stages.link(2)).toMatchObject({
      ...{ state: 'conflicted', withheld: [{ kind: 'sku', value: 'SKU-2' }] },
    });
    expect(await stages.sync()).toMatchObject({
      state: 'succeeded',
      counts: { created: 0, updated: 0, orphaned: 0, failed: 0, conflicted: 2 },
    });
    await expectAsTheyWere(theirs);
  },
);

it.each([MERGES, REPLACES, LANGUAGES])(
  'where $name, a variant that another system took over is never written, and the product’s own texts are',
  async (reading) => {
    await open(reading);
    stages.store.put(modelSnapshot(3));
    await stages.sync();
    const { catalogId } = await stages.link(3);
    const variants = (await catalog.of(ours(3)))?.variants ?? [];
    const taken = variants.find(({ sku }) => sku === 'SKU-3-2');
    await catalog.client.updateProduct(String(taken?.id), { external_id: 'erp:3', name: 'Theirs' });
    const theirs = async (): Promise<object | undefined> =>
      (await catalog.of(ours(3)))?.variants?.find(({ external_id: held }) => held === 'erp:3');
    const before = await theirs();
    expect(before).toMatchObject({ external_id: 'erp:3' });
    const edited = modelSnapshot(3).variants.map((variant) => ({ ...variant, barcode: '4006381333931' }));
    stages.store.edit('3', { title: 'Edited', variants: edited.slice(0, 1), updatedAt: stages.clock.now() });
    for (const full of [false, true]) {
      const { id } = await stages.sync({ full });
      expect(await stages.actionsOf(id)).toMatchObject([{ kind: 'update', state: 'failed' }]);
      expect(await theirs()).toEqual(before);
    }
    expect(await catalog.client.getProduct(catalogId ?? '')).toMatchObject({ name: 'Edited' });
    expect((await stages.owedRow(ours(3)))?.detail).toContain('belongs to erp:3 now');
  },
);

describe('a product that another system takes over', () => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, {});
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
  });

  it('while its run is handed on is not written by the next worker', async () => {
    stages.store.edit('1', { title: 'Edited', updatedAt: stages.clock.now() });
    const stop = new AbortController();
    const { id } = await stages.requests.request({ store: 'main', full: false, trigger: 'command' });
    catalog.afterRequests(0, () => stop.abort(new Error('cut off')));
    await stages.work(id, stop.signal);
    const theirs = await takeOver(1, 'sku');
    await stages.work(id);
    await expectAsTheyWere([theirs]);
    expect(await ofOurs(1)).toMatchObject({ name: 'Edited' });
  });

  it('while it is away from its store is not written when it comes back', async () => {
    stages.store.products.delete('1');
    await stages.sync();
    const theirs = await takeOver(1, 'id');
    stages.store.put({ ...snapshot(1), updatedAt: stages.clock.now() });
    expect(await stages.sync({ full: false })).toMatchObject({ counts: { created: 1, failed: 0 } });
    await expectAsTheyWere([theirs]);
    expect(await ofOurs(1)).toMatchObject({ name: 'Product 1', sku: 'SKU-1' });
  });

  it('between our read and our write is left alone from the answer on', async () => {
    stages.store.edit('1', { title: 'Edited', vendor: 'New', updatedAt: stages.clock.now() });
    catalog.beforeWrite(() => takeOver(1, 'id'));
    expect(await stages.sync({ full: false })).toMatchObject({ counts: { created: 1, failed: 0 } });
    expect(await catalog.of('erp:1')).toMatchObject({ external_id: 'erp:1' });
    expect(await ofOurs(1)).toMatchObject({ name: 'Edited' });
  });

  it('in one variant keeps that variant when ours leaves the store', async () => {
    stages.settings = { ...stages.settings, store: { deleted: 'delete' } };
    stages.store.put(modelSnapshot(3));
    await stages.sync();
    await catalog.client.upsertProduct({ sku: 'SKU-3-2', external_id: 'erp:3', name: 'Theirs' });
    const held = await catalog.of(ours(3));
    stages.store.products.delete('3');
    expect(await stages.sync()).toMatchObject({ counts: { orphaned: 1, failed: 0 } });
    expect(await catalog.of(ours(3))).toEqual(held);
  });
});
