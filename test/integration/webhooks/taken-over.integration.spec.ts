import { beforeEach, describe, expect, it } from '@jest/globals';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { deliver, resultOf, writeAll } from '../../support/results.js';
import { Stages } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2));
});

const ours = snapshot(1).externalId;
const text = { name: 'Text of another', html_description: '<p>Text of another</p>' };

async function takenOver(): Promise<number> {
  await stages.sync();
  const id = Number((await stages.link(1)).catalogId);
  stages.catalog.change(id, { external_id: 'erp:7', ...text });
  return id;
}

async function expectLost(): Promise<void> {
  await writeAll(stages);
  expect(stages.store.at('1').title).toBe('Product 1');
  expect(await stages.writeBacks.forProduct(ours)).toEqual([]);
  expect(await stages.link(1)).toMatchObject({ catalogId: null });
  expect(await stages.owedRow(ours)).toMatchObject({ code: 'taken_over' });
  expect(await stages.tasks.openFor(ours)).toBeNull();
}

describe('a result of a catalog product that another system has taken over', () => {
  it('is never written by a delivery, although its catalog id is that of our link', async () => {
    const id = await takenOver();
    const product = { id, external_id: 'erp:7', ...text };
    const { delivery } = await deliver(stages, await resultOf(stages, 1, { product }));
    expect(delivery).toMatchObject({ state: 'parked', note: expect.stringContaining('"erp:7"') });
    await expectLost();
  });

  it('is never written by a delivery that names no product', async () => {
    await takenOver();
    await deliver(stages, await resultOf(stages, 1, { product: null }));
    await expectLost();
  });

  it('is never written by a poll', async () => {
    await takenOver();
    const task = (await stages.tasks.newest(ours))!;
    stages.catalog.settleTask(task.taskId!, 'succeeded');
    await stages.db.affected('UPDATE generation_task SET next_poll_at = now()');
    for (const id of await stages.poller.pollDue(stages.workspace, 10))
      await stages.interpreter.interpret(id);
    await expectLost();
  });

  it('is never written by the sweep', async () => {
    await takenOver();
    await stages.db.affected(`UPDATE generation_task SET state = 'succeeded'`);
    for (const id of await stages.poller.sweepResults(stages.workspace))
      await stages.interpreter.interpret(id);
    await expectLost();
  });

  it('is never written in the language of the workspace, which only the catalog can show', async () => {
    stages.settings = { store: {}, workspace: { locale: 'fr' } };
    await takenOver();
    await deliver(stages, await resultOf(stages, 1));
    await expectLost();
  });

  it('is never written as a variant’s', async () => {
    stages.settings = { store: { writeBack: { variants: { description: 'custom.text' } } }, workspace: {} };
    stages.store.put(modelSnapshot(3));
    await stages.sync();
    const [catalogId] = Object.values((await stages.link(3)).variantLinks);
    const product = { id: Number(catalogId), external_id: 'erp:8', description: 'Theirs' };
    await deliver(stages, await resultOf(stages, 3, { product, taskId: 'theirs' }));
    expect(await stages.writeBacks.forProduct(modelSnapshot(3).externalId)).toEqual([]);
  });

  it('is created anew by the next run, and the other’s product stays as it is', async () => {
    const id = await takenOver();
    await deliver(stages, await resultOf(stages, 1, { product: { id, external_id: 'erp:7', ...text } }));
    await stages.sync({ full: false });
    expect(stages.catalog.products.get(id)).toMatchObject({ external_id: 'erp:7', ...text });
    expect(stages.catalog.of(ours)).toMatchObject({ name: 'Product 1' });
    expect((await stages.link(1)).catalogId).toBe(String(stages.catalog.of(ours)?.id));
  });
});

it('a result whose external_id the service has folded is still ours', async () => {
  await stages.sync();
  const id = Number((await stages.link(1)).catalogId);
  const product = { id, external_id: ` ${ours.toUpperCase()} `, name: 'Generated 1' };
  await deliver(stages, await resultOf(stages, 1, { product }));
  await writeAll(stages);
  expect(stages.store.at('1').title).toBe('Generated 1');
});

it('in the sandbox, a product that another system matched by its SKU brings us no result any more', async () => {
  const catalog = await SandboxCatalog.open(stages, {});
  try {
    await catalog.receiveDeliveries();
    stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
    await stages.sync();
    await catalog.client.upsertProduct({ sku: 'SKU-1', external_id: 'erp:1', name: 'Chair of the ERP' });
    const { catalogId } = await stages.link(1);
    await catalog.client.generate([{ id: Number(catalogId), externalId: 'erp:1' }]);
    const [body] = await until('the delivery', async () => {
      const taken = catalog.takeDeliveries();
      return taken.length > 0 ? taken : null;
    });
    stages.settings = { store: {}, workspace: {} };
    const { delivery } = await deliver(stages, body!);
    expect(delivery).toMatchObject({ state: 'parked' });
    await writeAll(stages);
    expect(stages.store.at('1').title).toBe('Product 1');
  } finally {
    await catalog.close();
  }
});
