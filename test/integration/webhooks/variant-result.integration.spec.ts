import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { Stages } from '../../support/stages.js';

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
});
beforeEach(async () => {
  await stages.reset();
});
afterAll(async () => stages.close());

it.each([[null], ['erp:7']])(
  'a result for a variant that names it by its catalog id alone (external_id %j) is recorded, and not written',
  async (externalId) => {
    stages.store.put(modelSnapshot(1), snapshot(2));
    await stages.sync();
    const { variantLinks, catalogId } = await stages.link(1);
    const [[variant, variantId] = ['', '']] = Object.entries(variantLinks);
    expect(variantId).not.toBe(catalogId);
    const product = { id: Number(variantId), external_id: externalId, name: 'Only the small one' };
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
  },
);

it('a result for a product that is neither ours nor a variant of ours is nobody’s', async () => {
  stages.store.put(modelSnapshot(1));
  await stages.sync();
  const product = { id: 99_999, external_id: null, name: 'Foreign' };
  const { delivery } = await deliver(stages, await resultOf(stages, 1, { product, taskId: 'foreign' }));
  expect(delivery.externalId).toBeNull();
});
