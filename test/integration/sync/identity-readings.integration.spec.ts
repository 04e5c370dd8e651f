import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { modelSnapshot, snapshot, variant, withSku } from '../../support/fake-store.js';
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
/** A service that folds the letter case shows another one than was sent. */
const skuOf = (held: HeldProduct | undefined): string | null => held?.sku?.toUpperCase() ?? null;

const skusOf = async (
  externalId: string,
): Promise<{ own: string | null; variants: Record<string, string | null> }> => {
  const product = await catalog.of(externalId);
  return {
    own: skuOf(product),
    variants: Object.fromEntries(
      (product?.variants ?? []).map((each) => [each.external_id ?? '', skuOf(each)] as const),
    ),
  };
};

/** Readings that have nothing to do with each other are tried together. */
const READINGS: readonly (readonly [string, Partial<CatalogReadings>])[] = [
  ['POST matches variants, PATCH merges', {}],
  [
    'POST matches listed products only, PATCH replaces the variants, and only an empty text clears',
    { postMatchesVariants: false, patchVariants: 'replace', clearing: 'blank' },
  ],
  [
    'the variants path is read-only, and identifiers are normalised',
    { variantsPath: 'read-only', identifiers: 'normalised' },
  ],
  [
    'the SKU wins over the external_id, and null changes nothing',
    { matchOrder: ['sku', 'barcode', 'mpn', 'asin', 'external_id'], clearing: 'ignored-null' },
  ],
];

describe.each(READINGS)('where %s', (_name, readings) => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, readings, { pageSize: 5 });
  });

  it('no foreign product is ever changed by a SKU that it or its variant shares with ours, however the catalog is looked through', async () => {
    await catalog.hold({
      external_id: 'erp:1',
      name: 'Foreign',
      variants: [{ external_id: 'erp:1:a', name: 'A', sku: 'SKU-1' }],
    });
    await catalog.hold({ external_id: 'erp:2', name: 'Foreign', sku: 'SKU-3-2' });
    for (let number = 0; number < 12; number += 1)
      await catalog.hold({ external_id: `erp:b${number}`, name: `Bystander ${number}` });
    const foreign = async () => [await catalog.of('erp:1'), await catalog.of('erp:2')];
    const before = await foreign();
    stages.store.put(snapshot(1), modelSnapshot(3));
    expect(await stages.sync()).toMatchObject({ counts: { created: 2, conflicted: 2 } });
    expect(await foreign()).toEqual(before);
    expect(await skusOf(ours(1))).toEqual({ own: null, variants: {} });
    expect(Object.values((await skusOf(ours(3))).variants)).toEqual(['SKU-3-1', null]);
    expect(await stages.link(1)).toMatchObject({
      state: 'conflicted',
      withheld: [{ kind: 'sku', value: 'SKU-1' }],
    });
    expect(await stages.sync()).toMatchObject({ counts: { conflicted: 2, failed: 0 } });
    expect(await foreign()).toEqual(before);
  });

  it('SKUs go on from a variant that left, with a product that loses its variants and gets them again, and to one that was made again', async () => {
    stages.store.put(modelSnapshot(1), modelSnapshot(3), withSku(snapshot(5), 'SAME'), modelSnapshot(6));
    await stages.sync();
    stages.store.edit('1', { variants: modelSnapshot(1).variants.slice(0, 1) });
    stages.store.put(withSku(snapshot(2), 'SKU-1-2'));
    stages.store.put(withSku(snapshot(3), 'SKU-3-1'));
    for (const gone of ['5', '6']) stages.store.products.delete(gone);
    stages.store.put(withSku(snapshot(7), 'SAME'), {
      ...modelSnapshot(8),
      variants: modelSnapshot(8).variants.map((each, index) => ({ ...each, sku: `SKU-6-${index + 1}` })),
    });
    await stages.sync();
    expect((await skusOf(ours(3))).own).toBe('SKU-3-1');
    // What another product gave up follows in the night after.
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { conflicted: 0, owed: 0 } });
    expect((await skusOf(ours(1))).variants).toMatchObject({ [variant(1, 1).externalId]: 'SKU-1-1' });
    expect(await skusOf(ours(2))).toEqual({ own: 'SKU-1-2', variants: {} });
    expect((await skusOf(ours(5))).own).toBeNull();
    expect((await skusOf(ours(7))).own).toBe('SAME');
    expect(Object.values((await skusOf(ours(8))).variants)).toEqual(['SKU-6-1', 'SKU-6-2']);
    stages.store.put(modelSnapshot(3));
    expect(await stages.sync()).toMatchObject({
      state: 'succeeded',
      counts: { updated: 1, unchanged: 4, failed: 0, conflicted: 0 },
    });
    const { own, variants } = await skusOf(ours(3));
    expect({ own, ...variants }).toMatchObject({
      own: null,
      [variant(3, 1).externalId]: 'SKU-3-1',
      [variant(3, 2).externalId]: 'SKU-3-2',
    });
  });
});

describe.each(['exact', 'normalised'] as const)('where identifiers are stored as %s', (identifiers) => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, { identifiers });
  });

  it('no foreign product is changed by a SKU of ours that differs in letter case and blanks', async () => {
    for (const id of [1, 2, 3])
      await catalog.hold({ external_id: `erp:${id}`, name: 'Foreign', sku: `PAD-${id}` });
    const variants = [{ external_id: 'erp:4:a', name: 'A', sku: ' pad-4 ' }];
    await catalog.hold({ external_id: 'erp:4', name: 'Foreign', variants });
    const before = await catalog.all();
    for (const [index, sku] of ['PAD-1 ', ' pad-2', '\u00a0Pad-3\u3000', 'PAD-4'].entries())
      stages.store.put(withSku(snapshot(index + 1), sku));
    expect((await stages.sync()).counts).toMatchObject({ created: 4, conflicted: 4, failed: 0 });
    expect((await catalog.all()).slice(0, before.length)).toEqual(before);
    for (const id of [1, 2, 3, 4]) expect(await skusOf(ours(id))).toEqual({ own: null, variants: {} });
  });

  it('SKUs that differ in letter case and blanks are one, and one of blanks is none', async () => {
    stages.store.put(withSku(snapshot(1), 'PAD-1'), withSku(snapshot(2), 'pad-1 '));
    stages.store.put(withSku(snapshot(3), 'CASE'));
    stages.store.put(withSku(snapshot(4), ' \u00a0'), withSku(snapshot(5), '\u200b'));
    expect((await stages.sync()).counts).toMatchObject({ created: 5, conflicted: 2 });
    expect([await skusOf(ours(1)), await skusOf(ours(2))].map(({ own }) => own)).toEqual([null, null]);
    stages.store.put(withSku(snapshot(2), 'PAD-2 '), withSku(snapshot(3), 'case'));
    expect((await stages.sync()).counts).toMatchObject({ updated: 3, conflicted: 0 });
    expect([await skusOf(ours(1)), await skusOf(ours(2))].map(({ own }) => own)).toEqual(['PAD-1', 'PAD-2']);
    expect((await catalog.of(ours(3)))?.sku).toBe('case');
    expect(await stages.sync()).toMatchObject({
      state: 'succeeded',
      counts: { unchanged: 5, conflicted: 0 },
    });
  });
});

describe('by default', () => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, {});
  });

  it('a first load into an empty workspace takes at most 1.05 requests for each product', async () => {
    const products = Array.from({ length: 60 }, (_each, index) => snapshot(index + 1));
    stages.store.put(...products);
    catalog.service.resetRequests();
    expect((await stages.sync()).counts).toMatchObject({ created: 60 });
    expect(catalog.service.requests().length).toBeLessThanOrEqual(60 * 1.05);
  });

  it('`deleted: delete` deletes the catalog product, and a product that comes back is created again', async () => {
    stages.settings = { ...stages.settings, store: { deleted: 'delete' } };
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    stages.store.products.delete('1');
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { orphaned: 1 } });
    expect(await catalog.of(ours(1))).toBeUndefined();
    stages.store.put(snapshot(1));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
    expect((await skusOf(ours(1))).own).toBe('SKU-1');
  });
});
