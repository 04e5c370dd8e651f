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

  it('a foreign variant with our SKU is never changed, however the catalog is looked through', async () => {
    await catalog.hold({
      external_id: 'erp:1',
      name: 'Foreign',
      variants: [{ external_id: 'erp:1:a', name: 'A', sku: 'SKU-1' }],
    });
    for (let number = 0; number < 12; number += 1)
      await catalog.hold({ external_id: `erp:b${number}`, name: `Bystander ${number}` });
    const before = await catalog.of('erp:1');
    stages.store.put(snapshot(1));
    expect(await stages.sync()).toMatchObject({ counts: { created: 1, conflicted: 1 } });
    expect(await catalog.of('erp:1')).toEqual(before);
    expect(await skusOf(ours(1))).toEqual({ own: null, variants: {} });
    expect(await stages.link(1)).toMatchObject({
      state: 'conflicted',
      withheld: [{ kind: 'sku', value: 'SKU-1' }],
    });
    expect(await stages.sync()).toMatchObject({ counts: { conflicted: 1, failed: 0 } });
    expect(await catalog.of('erp:1')).toEqual(before);
  });

  it('a foreign product with a SKU of our variants is never changed', async () => {
    await catalog.hold({ external_id: 'erp:1', name: 'Foreign', sku: 'SKU-1-2' });
    const before = await catalog.of('erp:1');
    stages.store.put(modelSnapshot(1));
    expect((await stages.sync()).counts).toMatchObject({ created: 1, conflicted: 1 });
    expect(await catalog.of('erp:1')).toEqual(before);
    expect(Object.values((await skusOf(ours(1))).variants)).toEqual(['SKU-1-1', null]);
  });

  it('a variant that left the store gives its SKU to the next product that has it', async () => {
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    stages.store.edit('1', { variants: modelSnapshot(1).variants.slice(0, 1) });
    stages.store.put(withSku(snapshot(2), 'SKU-1-2'));
    await stages.sync();
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { conflicted: 0, owed: 0 } });
    expect(await skusOf(ours(2))).toEqual({ own: 'SKU-1-2', variants: {} });
    expect((await skusOf(ours(1))).variants).toMatchObject({ [variant(1, 1).externalId]: 'SKU-1-1' });
  });

  it('a product of several variants turns into one without, with the same SKU, and back', async () => {
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    stages.store.put(withSku(snapshot(1), 'SKU-1-1'));
    expect(await stages.sync()).toMatchObject({
      state: 'succeeded',
      counts: { updated: 1, failed: 0, conflicted: 0 },
    });
    expect((await skusOf(ours(1))).own).toBe('SKU-1-1');
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 1 } });
    stages.store.put(modelSnapshot(1));
    expect(await stages.sync()).toMatchObject({
      state: 'succeeded',
      counts: { updated: 1, failed: 0, conflicted: 0 },
    });
    const { own, variants } = await skusOf(ours(1));
    expect({ own, ...variants }).toMatchObject({
      own: null,
      [variant(1, 1).externalId]: 'SKU-1-1',
      [variant(1, 2).externalId]: 'SKU-1-2',
    });
  });

  it('a product that was deleted and made again gets its identifiers back within two full runs', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'), modelSnapshot(3));
    await stages.sync();
    stages.store.products.clear();
    stages.store.put(withSku(snapshot(2), 'SAME'), {
      ...modelSnapshot(4),
      variants: modelSnapshot(4).variants.map((each, index) => ({ ...each, sku: `SKU-3-${index + 1}` })),
    });
    await stages.sync();
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { conflicted: 0, owed: 0 } });
    expect((await skusOf(ours(2))).own).toBe('SAME');
    expect(Object.values((await skusOf(ours(4))).variants)).toEqual(['SKU-3-1', 'SKU-3-2']);
    expect((await skusOf(ours(1))).own).toBeNull();
  });
});

describe.each(['exact', 'normalised'] as const)('where identifiers are stored as %s', (identifiers) => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, { identifiers });
  });

  it.each(['PAD-1 ', ' pad-1', '\u00a0Pad-1\u3000'])(
    'a foreign product is not changed by ours with the SKU %j',
    async (sku) => {
      await catalog.hold({ external_id: 'erp:1', name: 'Foreign', sku: 'PAD-1' });
      const before = await catalog.of('erp:1');
      stages.store.put(withSku(snapshot(1), sku));
      expect((await stages.sync()).counts).toMatchObject({ created: 1, conflicted: 1, failed: 0 });
      expect(await catalog.of('erp:1')).toEqual(before);
      expect(await skusOf(ours(1))).toEqual({ own: null, variants: {} });
    },
  );

  it('a foreign variant with blanks around its SKU is not changed by ours', async () => {
    const variants = [{ external_id: 'erp:1:a', name: 'A', sku: ' pad-1 ' }];
    await catalog.hold({ external_id: 'erp:1', name: 'Foreign', variants });
    const before = await catalog.of('erp:1');
    stages.store.put(withSku(snapshot(1), 'PAD-1'));
    expect((await stages.sync()).counts).toMatchObject({ created: 1, conflicted: 1, failed: 0 });
    expect(await catalog.of('erp:1')).toEqual(before);
  });

  it('two products whose SKUs differ in letter case and blanks overwrite each other never', async () => {
    stages.store.put(withSku(snapshot(1), 'PAD-1'), withSku(snapshot(2), 'pad-1 '));
    expect((await stages.sync()).counts).toMatchObject({ created: 2, conflicted: 2 });
    expect([await skusOf(ours(1)), await skusOf(ours(2))].map(({ own }) => own)).toEqual([null, null]);
    stages.store.put(withSku(snapshot(2), 'PAD-2 '));
    expect((await stages.sync()).counts).toMatchObject({ updated: 2, conflicted: 0 });
    expect([await skusOf(ours(1)), await skusOf(ours(2))].map(({ own }) => own)).toEqual(['PAD-1', 'PAD-2']);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 2 } });
  });

  it('a SKU that changes its letter case alone moves to nobody', async () => {
    stages.store.put(withSku(snapshot(1), 'PAD-1'));
    await stages.sync();
    stages.store.put(withSku(snapshot(1), 'pad-1'));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1, conflicted: 0 } });
    expect((await catalog.of(ours(1)))?.sku).toBe('pad-1');
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 1, conflicted: 0 } });
  });

  it('a SKU of blanks is none', async () => {
    stages.store.put(withSku(snapshot(1), ' \u00a0'), withSku(snapshot(2), '\u200b'));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 2, conflicted: 0 } });
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

  it('an orphan of an earlier release gives its identifier up once another product needs it', async () => {
    stages.store.put(withSku(snapshot(1), 'SAME'));
    await stages.sync();
    await stages.db.affected(`UPDATE store_product SET state = 'orphaned', orphaned_at = now()`);
    await stages.db.affected('DELETE FROM product_identifier');
    stages.store.products.clear();
    stages.store.put(withSku(snapshot(2), 'SAME'));
    expect((await stages.sync()).counts).toMatchObject({ created: 1, conflicted: 1, orphaned: 0 });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1, conflicted: 0 } });
    expect((await skusOf(ours(2))).own).toBe('SAME');
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
