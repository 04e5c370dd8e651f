import { beforeEach, expect, it } from '@jest/globals';
import { LinkRepository } from '../../../src/persistence/link.repository.js';
import { ListeningDatabase } from '../../support/listening-database.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { Stages, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
});

it.each([
  ['no external_id', () => null],
  ['the external_id of another system', () => 'erp:7'],
  ['its own external_id', (own: string) => own],
])(
  'a result for a variant that names it by its catalog id and %s is recorded, and not written',
  async (_name, named) => {
    stages.store.put(modelSnapshot(1), snapshot(2));
    await stages.sync();
    const { variantLinks, catalogId } = await stages.link(1);
    const [[variant, variantId] = ['', '']] = Object.entries(variantLinks);
    expect(variantId).not.toBe(catalogId);
    const product = { id: Number(variantId), external_id: named(variant), name: 'Only the small one' };
    const { delivery, writeBackId } = await deliver(
      stages,
      await resultOf(stages, 1, { product, taskId: 'of the variant' }),
    );
    expect(writeBackId).toBeNull();
    expect(delivery).toMatchObject({
      externalId: variant,
      note: expect.stringContaining(`for variant ${variant}`),
    });
    expect(stages.store.at('1').title).toBe(modelSnapshot(1).title);
    expect(await stages.writeBacks.forProduct(modelSnapshot(1).externalId)).toEqual([]);
    expect(await stages.tasks.newest(modelSnapshot(1).externalId)).toMatchObject({ state: 'requested' });
  },
);

it('a result for a product that is neither ours nor a variant of ours is nobody’s', async () => {
  stages.store.put(modelSnapshot(1));
  await stages.sync();
  const product = { id: 99_999, external_id: null, name: 'Foreign' };
  const { delivery } = await deliver(stages, await resultOf(stages, 1, { product, taskId: 'foreign' }));
  expect(delivery.externalId).toBeNull();
});

it('the variant is found by an index, however many products have variants', async () => {
  stages.store.put(modelSnapshot(1), modelSnapshot(2), snapshot(3));
  await stages.sync();
  const { variantLinks, externalId } = await stages.link(2);
  // SQL: a large store's products with variants, which no test brings in one by one.
  await stages.db.affected(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id, variant_links)
     SELECT 'shopify:large:' || n, 'large', workspace, n::text, 'Product', 'linked', (10000000 + n)::text,
       jsonb_build_object('a', (20000000 + n)::text, 'b', (30000000 + n)::text)
     FROM store_product, generate_series(1, 10000) AS n WHERE external_id = $1`,
    [externalId],
  );
  await stages.db.affected('ANALYZE store_product');
  const [variantId = ''] = Object.values(variantLinks);
  const db = new ListeningDatabase(stages.db.dataSource);
  const links = new LinkRepository(db);
  expect(await links.byVariantCatalogId(WORKSPACE, variantId)).toMatchObject({ externalId });
  expect(await links.byVariantCatalogId(WORKSPACE, '9')).toBeNull();
  const plans = await db.plans();
  expect(plans).toHaveLength(2);
  for (const { lines } of plans) {
    expect(lines.join('\n')).toContain('Bitmap Index Scan on store_product_by_variant_id');
  }
  expect(await links.byVariantCatalogId('another', variantId)).toBeNull();
});
