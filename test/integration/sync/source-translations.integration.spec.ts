import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { modelSnapshot, snapshot, withSku } from '../../support/fake-store.js';
import { metafield } from '../../support/product-builders.js';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { sqlRows } from '../../support/sql.js';
import { Stages } from '../../support/stages.js';
import { until } from '../../support/until.js';
import { requestCounts } from '../../support/world/catalog-calls.js';

const stages = await Stages.open();
let catalog: SandboxCatalog;
beforeEach(async () => {
  await stages.reset();
  stages.settings = {
    store: { writeBack: { locales: ['fr', 'de'] } },
    workspace: { generation: { mode: 'off' } },
  };
  stages.store.sourceLocales = ['fr', 'de'];
  stages.store.refusesTranslations = false;
});
afterEach(async () => catalog.close());

/** The texts of our product in a language, as the catalog answers them. */
async function texts(id: number, locale: string) {
  const held = await catalog.of(snapshot(id).externalId);
  const product = await catalog.client.getProduct(held?.id ?? 0, { locale });
  return { name: product.name ?? null, html: product.html_description ?? null };
}

const MAPPED = { openAttributes: ['custom.material', 'custom.size'] };

function withAttributes(material: string, size: string) {
  return snapshot(1, {
    metafields: [
      metafield('custom.material', material),
      metafield('custom.size', size, 'number_integer'),
      metafield('custom.note', 'No source'),
    ],
  });
}

/** The attributes of our product in a language. */
async function attributes(id: number, locale: string) {
  const held = await catalog.of(snapshot(id).externalId);
  const { open_attributes } = await catalog.client.getProduct(held?.id ?? 0, { locale });
  const { product_type: _type, weight: _weight, ...ours } = open_attributes ?? {};
  return ours;
}

/** Requests that changed something in the catalog, and forgets them. */
function writes(): Record<string, number> {
  const counts = Object.entries(requestCounts(catalog.service.requests())).filter(
    ([name]) => !name.startsWith('GET'),
  );
  catalog.service.resetRequests();
  return Object.fromEntries(counts);
}

/** Readings that have nothing to do with each other are tried together. */
const READINGS: readonly (readonly [string, Partial<CatalogReadings>])[] = [
  ['POST matches variants', {}],
  [
    'POST matches listed products only, PATCH ignores the locale, and GET has no text of another',
    { postMatchesVariants: false, patchLocale: 'ignored', missingLocale: 'empty' },
  ],
  [
    'the SKU wins over the external_id, objects are merged, and GET of another language is not found',
    {
      matchOrder: ['sku', 'barcode', 'mpn', 'asin', 'external_id'],
      patchObjects: 'merge',
      missingLocale: 'not-found',
    },
  ],
];

describe.each(READINGS)('where %s', (_name, readings) => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, readings);
  });

  it('the shop’s own translations are the source of their language, alone when they change, and gone when they go', async () => {
    stages.store.put(snapshot(1, { title: 'Lamp', descriptionHtml: '<p>Bright.</p>' }));
    stages.store.translate('1', 'fr:title', 'Lampe');
    stages.store.translate('1', 'fr:descriptionHtml', '<p>Claire.</p>');
    stages.store.translate('1', 'de:title', 'Leuchte');
    stages.store.put(modelSnapshot(2, { title: 'Shirt' }));
    stages.store.translate('2', 'fr:title', 'Chemise');
    expect(await stages.sync()).toMatchObject({ counts: { created: 2, failed: 0 } });
    expect(await texts(1, 'fr')).toEqual({ name: 'Lampe', html: '<p>Claire.</p>' });
    expect(await texts(1, 'de')).toMatchObject({ name: 'Leuchte' });
    expect(await texts(1, 'en')).toEqual({ name: 'Lamp', html: '<p>Bright.</p>' });
    writes();
    // A product with variants gets its translations once the catalog has made it.
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 2, owed: 0 } });
    expect([await texts(2, 'fr'), await texts(2, 'en')]).toMatchObject([
      { name: 'Chemise' },
      { name: 'Shirt' },
    ]);
    expect((await catalog.of(snapshot(2).externalId))?.variants).toHaveLength(2);
    expect(writes()).toEqual({});

    stages.store.translate('1', 'fr:title', 'Lampadaire');
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { updated: 1 } });
    expect(await stages.actionsOf(run.id)).toMatchObject([{ fields: ['translations'] }]);
    expect([await texts(1, 'fr'), await texts(1, 'en')]).toMatchObject([
      { name: 'Lampadaire' },
      { name: 'Lamp' },
    ]);

    stages.store.translate('1', 'fr:title', null);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1 } });
    expect((await texts(1, 'fr')).name).not.toBe('Lampadaire');
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 2 } });
  });

  it('the translation of a mapped attribute is the source of its language, beside the attributes without one, and nobody else’s are touched', async () => {
    await catalog.hold({ external_id: 'erp:1', name: 'Foreign', variants: [{ name: 'A', sku: 'SKU-1' }] });
    const foreign = await catalog.of('erp:1');
    stages.settings = { ...stages.settings, store: { ...stages.settings.store, mapping: MAPPED } };
    stages.store.put(withAttributes('Wool', '12'));
    stages.store.translate('1', 'fr:metafield:custom.material', 'Laine');
    stages.store.translate('1', 'fr:metafield:custom.note', 'Pas source');
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1, failed: 0 } });
    const inFrench = { 'custom.material': 'Laine', 'custom.size': 12 };
    const inEnglish = { 'custom.material': 'Wool', 'custom.size': 12 };
    expect(await attributes(1, 'fr')).toEqual(inFrench);
    expect(await attributes(1, 'en')).toEqual(inEnglish);
    writes();
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 1 } });
    expect(writes()).toEqual({});

    // Another system keeps an attribute in French. One of ours without a translation has the same value in every language.
    await catalog.client.upsertProduct(
      { external_id: snapshot(1).externalId, open_attributes: { ...inFrench, erp: 'à lui' } },
      { locale: 'fr' },
    );
    stages.store.put(withAttributes('Wool', '13'));
    await stages.sync();
    expect(await attributes(1, 'fr')).toEqual({ ...inFrench, 'custom.size': 13, erp: 'à lui' });
    expect(await attributes(1, 'en')).toEqual({ ...inEnglish, 'custom.size': 13 });

    stages.store.translate('1', 'fr:metafield:custom.material', null);
    const run = await stages.sync();
    expect(await stages.actionsOf(run.id)).toMatchObject([{ fields: ['translations'] }]);
    expect(await attributes(1, 'fr')).toEqual({ ...inEnglish, 'custom.size': 13, erp: 'à lui' });
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 1 } });
    expect(await catalog.of('erp:1')).toEqual(foreign);
  });
});

describe('the cost of translations', () => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, {});
  });

  it('is nothing for a product without any', async () => {
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    expect(writes()).toEqual({ 'POST /products/': 2 });
  });

  it('is one request for each language that has a text', async () => {
    stages.store.put(snapshot(1), snapshot(2));
    stages.store.translate('1', 'fr:title', 'Lampe');
    await stages.sync();
    expect(writes()).toEqual({ 'POST /products/': 3 });
    stages.store.translate('2', 'fr:title', 'Table');
    await stages.sync();
    expect(writes()).toEqual({ 'POST /products/': 1 });
  });

  it.each<[string, () => void]>([
    ['may no longer be read', () => (stages.store.refusesTranslations = true)],
    [
      'are no longer configured',
      () => {
        stages.store.sourceLocales = [];
        stages.settings = { store: {}, workspace: {} };
      },
    ],
  ])(
    'is nothing when they %s, also of products that share a SKU, and their texts stay',
    async (_what, change) => {
      stages.store.put(...[1, 2].map((id) => withSku(snapshot(id), 'SHARED')));
      stages.settings = { ...stages.settings, workspace: {} };
      for (const id of ['1', '2']) stages.store.translate(id, 'fr:title', `Lampe ${id}`);
      await stages.sync();
      expect(await stages.link(1)).toMatchObject({ withheld: [{ kind: 'sku' }] });
      // The sandbox makes the content of both beside the run.
      const held = await until('content in the catalog', async () => {
        const both = [await texts(1, 'fr'), await texts(2, 'fr')];
        return JSON.stringify(both).split('Written by rules').length === 3 && both;
      });
      writes();
      change();
      for (let night = 0; night < 2; night++)
        expect(await stages.sync()).toMatchObject({ counts: { generationRequested: 0, updated: 0 } });
      expect(writes()).toEqual({});
      expect([await texts(1, 'fr'), await texts(2, 'fr')]).toEqual(held);
    },
  );

  it('is owed when it fails, and the next run pays it', async () => {
    stages.store.put(snapshot(1, { title: 'Lamp' }));
    stages.store.translate('1', 'fr:title', 'x'.repeat(1_000_001));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { failed: 1, owed: 1 } });
    expect(await sqlRows(stages.db, 'SELECT code FROM owed_product')).toEqual([{ code: 'refused' }]);
    stages.store.translate('1', 'fr:title', 'Lampe');
    expect(await stages.sync({ full: false })).toMatchObject({ state: 'succeeded', counts: { owed: 0 } });
    expect([await texts(1, 'fr'), await texts(1, 'en')]).toMatchObject([{ name: 'Lampe' }, { name: 'Lamp' }]);
  });
});

describe.each(['merge', 'replace'] as const)('where a change of an object means %s', (patchObjects) => {
  beforeEach(async () => {
    stages.settings = { ...stages.settings, store: { ...stages.settings.store, mapping: MAPPED } };
    catalog = await SandboxCatalog.open(stages, { patchObjects });
  });

  it('an attribute that the merchant removes leaves the catalog, in every language, and another system’s stays', async () => {
    stages.store.put(withAttributes('Wool', '12'));
    stages.store.translate('1', 'fr:metafield:custom.material', 'Laine');
    await stages.sync();
    const { catalogId } = await stages.link(1);
    const held = await catalog.client.getProduct(catalogId ?? '');
    await catalog.client.updateProduct(catalogId ?? '', {
      open_attributes: { ...held.open_attributes, erp: 7 },
    });
    const [material] = withAttributes('Wool', '12').metafields;
    stages.store.put(snapshot(1, { metafields: [material!] }));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1 } });
    expect(filled(await attributes(1, 'en'))).toEqual({ 'custom.material': 'Wool', erp: 7 });
    expect(filled(await attributes(1, 'fr'))).toMatchObject({ 'custom.material': 'Laine' });
    expect(filled(await attributes(1, 'fr'))).not.toHaveProperty(['custom.size']);
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 1 } });
  });

  it('an address that the merchant removes is no source any more, and the reference beside it stays', async () => {
    const mapping = { sourceUrl: 'custom.page', referenceString: 'custom.model' };
    stages.settings = { ...stages.settings, store: { mapping } };
    const model = metafield('custom.model', 'X-1');
    stages.store.put(
      snapshot(1, { metafields: [metafield('custom.page', 'https://example.com/x', 'url'), model] }),
    );
    await stages.sync();
    stages.store.put(snapshot(1, { metafields: [model] }));
    await stages.sync();
    const { catalogId } = await stages.link(1);
    const { crawl_configuration: source } = await catalog.client.getProduct(catalogId ?? '');
    expect([source?.source_url ?? null, source?.reference_string]).toEqual([null, 'X-1']);
  });

  it('an adopted product keeps the members that are not ours', async () => {
    await catalog.hold({
      name: 'Theirs',
      sku: 'SKU-1',
      metadata: { erp: 7 },
      open_attributes: { colour: 'red' },
    });
    stages.store.put(withAttributes('Wool', '12'));
    expect(await stages.sync()).toMatchObject({ counts: { updated: 1, created: 0 } });
    const { catalogId } = await stages.link(1);
    expect((await catalog.client.getProduct(catalogId ?? '')).metadata).toMatchObject({
      erp: 7,
      handle: 'product-1',
    });
    expect(await attributes(1, 'en')).toEqual({
      colour: 'red',
      'custom.material': 'Wool',
      'custom.size': 12,
    });
  });
});

/** An empty member says as much as none. */
function filled(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
