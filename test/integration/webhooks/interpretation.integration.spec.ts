import { beforeEach, describe, expect, it } from '@jest/globals';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { deliver, receive, resultOf, storedDelivery, writeAll } from '../../support/results.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { sqlRow } from '../../support/sql.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2));
});

const ours = (id: number): string => snapshot(id).externalId;
const HOUR_MS = 3_600_000;

async function writeBacksOf(id: number) {
  return stages.writeBacks.forProduct(ours(id));
}

async function newestTask(id: number) {
  return stages.tasks.newest(ours(id));
}

describe('a result', () => {
  beforeEach(async () => {
    await stages.sync();
  });

  it('of a generated product settles its task and intends a write-back', async () => {
    const { delivery, writeBackId } = await deliver(stages, await resultOf(stages, 1));
    expect(delivery).toMatchObject({ state: 'processed', externalId: ours(1), attempts: 1 });
    expect(await newestTask(1)).toMatchObject({ state: 'succeeded', settledBy: 'webhook' });
    expect(await writeBacksOf(1)).toMatchObject([
      {
        id: writeBackId,
        state: 'ready',
        intended: [
          { target: 'title', value: 'Generated 1' },
          { target: 'descriptionHtml', value: '<p>Generated 1</p>' },
        ],
      },
    ]);
    expect(await newestTask(2)).toMatchObject({ state: 'requested' });
  });

  it.each([
    ['product_generation_failed', 'failed', 'No sources.', 'No sources.'],
    ['product_generation_failed', 'failed', '', 'generation failed'],
    ['product_generation_no_urls', 'no_urls', ' ', 'no source URLs could be found for the product'],
  ])('%s settles its task as %s, with the reason given (%p)', async (action, state, given, reason) => {
    const { delivery } = await deliver(stages, await resultOf(stages, 1, { action, reason: given }));
    expect(delivery).toMatchObject({ state: 'processed', note: `no content: ${reason}` });
    expect(await newestTask(1)).toMatchObject({ state, reason, settledBy: 'webhook' });
    expect(await writeBacksOf(1)).toEqual([]);
  });

  it('that failed does not undo one that succeeded', async () => {
    await deliver(stages, await resultOf(stages, 1));
    const failed = await resultOf(stages, 1, { action: 'product_generation_failed' });
    const { delivery } = await deliver(stages, failed);
    expect(delivery).toMatchObject({ state: 'processed', note: expect.stringContaining('settled before') });
    expect(await newestTask(1)).toMatchObject({ state: 'succeeded' });
  });

  it('that comes after its task was given up still counts', async () => {
    const task = await newestTask(1);
    await stages.tasks.settle(task!.id, { state: 'abandoned', settledBy: 'poll', reason: 'too long' });
    await deliver(stages, await resultOf(stages, 1));
    expect(await newestTask(1)).toMatchObject({ state: 'succeeded' });
  });

  it('newer than one that waits takes its place', async () => {
    await deliver(stages, await resultOf(stages, 1, { name: 'First' }));
    const newer = { taskId: 'new', name: 'Second', createdAt: new Date(Date.now() + HOUR_MS) };
    await deliver(stages, await resultOf(stages, 1, newer));
    expect(await writeBacksOf(1)).toMatchObject([
      { state: 'skipped', reason: 'a newer result of the same product arrived' },
      { state: 'ready' },
    ]);
  });

  it('that was not requested here is recorded and written', async () => {
    const before = await newestTask(1);
    const unasked = { taskId: 'theirs', createdAt: new Date(Date.now() - HOUR_MS) };
    await deliver(stages, await resultOf(stages, 1, unasked));
    expect(await stages.tasks.byTaskId(WORKSPACE, 'theirs')).toMatchObject({ state: 'succeeded' });
    expect(await stages.tasks.openFor(ours(1))).toMatchObject({ id: before?.id });
    expect(await writeBacksOf(1)).toMatchObject([{ state: 'ready' }]);
  });

  it.each([
    ['began before a run read the merchant’s edit leaves the edit alone', 60, 'conflict', 'By hand'],
    ['began after a run read the merchant’s edit is written over it', -1, 'written', 'Generated 1'],
  ])('that was not requested here and %s', async (_rule, minutesBefore, outcome, title) => {
    await stages.db.affected(`UPDATE sync_action SET settled_at = settled_at - interval '2 hours'`);
    stages.store.edit('1', { title: 'By hand' });
    await stages.sync();
    const createdAt = new Date(Date.now() - minutesBefore * 60_000);
    const { writeBackId } = await deliver(stages, await resultOf(stages, 1, { taskId: 'theirs', createdAt }));
    await writeAll(stages);
    expect(await stages.writeBacks.get(writeBackId ?? '')).toMatchObject({
      fields: [
        { target: 'title', outcome },
        { target: 'descriptionHtml', outcome: 'written' },
      ],
    });
    expect(stages.store.at('1').title).toBe(title);
  });

  it('that holds nothing for the store, or comes where nothing is written, settles its task', async () => {
    await deliver(stages, await resultOf(stages, 1, { name: '', html: '<script>x</script>' }));
    stages.settings = { store: { writeBack: { mode: 'off' } }, workspace: {} };
    const { delivery } = await deliver(stages, await resultOf(stages, 2));
    expect(delivery.note).toBe('content generated but not written: writeBack.mode is off');
    expect(await stages.tasks.countByState(STORE)).toEqual({ succeeded: 2 });
    expect([...(await writeBacksOf(1)), ...(await writeBacksOf(2))]).toEqual([]);
  });

  it('is interpreted by one of fifty workers', async () => {
    const id = await receive(stages, await resultOf(stages, 1));
    const { interpreter } = stages;
    const led = await Promise.all(Array.from({ length: 50 }, () => interpreter.interpret(id)));
    expect(led.filter(({ writeBackId }) => writeBackId !== null)).toHaveLength(1);
    expect(await storedDelivery(stages, id)).toMatchObject({ attempts: 1 });
  });
});

describe('a result without its product', () => {
  beforeEach(async () => {
    await stages.sync();
    const { catalogId } = await stages.link(1);
    stages.catalog.change(Number(catalogId), { name: 'Fetched' });
  });

  it('is completed by asking for the product of its task', async () => {
    await deliver(stages, await resultOf(stages, 1, { product: null }));
    expect((await writeBacksOf(1))[0]?.intended[0]).toMatchObject({ target: 'title', value: 'Fetched' });
  });

  it('settles nothing while the product cannot be had, and comes back', async () => {
    stages.catalog.script.before('getProduct', refusal('transient'));
    const { delivery } = await deliver(stages, await resultOf(stages, 1, { product: null }));
    expect(delivery).toMatchObject({ state: 'received', attempts: 1 });
    expect(await newestTask(1)).toMatchObject({ state: 'requested' });
    await stages.interpreter.interpret(delivery.id);
    expect(await newestTask(1)).toMatchObject({ state: 'succeeded' });
  });

  it('fails when the catalog no longer has the product', async () => {
    stages.catalog.products.clear();
    const { delivery } = await deliver(stages, await resultOf(stages, 1, { product: null }));
    expect(delivery).toMatchObject({ state: 'failed' });
  });

  it('that failed settles its task by the task’s id alone', async () => {
    const failed = { action: 'product_generation_failed', product: null };
    await deliver(stages, await resultOf(stages, 1, failed));
    expect(await newestTask(1)).toMatchObject({ state: 'failed' });
  });
});

describe('a result of a task that we know little of', () => {
  it('finds its row although it overtook the answer to the request', async () => {
    stages.catalog.script.after('generate', async () => {
      await deliver(stages, await resultOf(stages, 1, { taskId: 'task-1' }));
    });
    await stages.sync();
    expect(await newestTask(1)).toMatchObject({ state: 'succeeded', taskId: 'task-1' });
    expect(await stages.tasks.countByState(STORE)).toEqual({ succeeded: 1, requested: 1 });
  });

  it('settles the open task of its product when the answer named none', async () => {
    stages.catalog.taskIds = 'none';
    await stages.sync();
    await deliver(stages, await resultOf(stages, 1, { taskId: 'service-1' }));
    expect(await stages.tasks.countByState(STORE)).toEqual({ succeeded: 1, requested: 1 });
  });

  it('goes by its product when the task is shared', async () => {
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    await deliver(stages, await resultOf(stages, 2, { taskId: 'task-1' }));
    expect(await newestTask(1)).toMatchObject({ state: 'requested' });
    expect(await newestTask(2)).toMatchObject({ state: 'succeeded' });
  });

  it('is known by an id of its own from then on, also when its task was shared', async () => {
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    await deliver(stages, await resultOf(stages, 2, { taskId: 'service-2' }));
    const failed = { taskId: 'service-2', action: 'product_generation_failed' };
    await deliver(stages, await resultOf(stages, 2, failed));
    expect(await stages.tasks.countByState(STORE)).toEqual({ succeeded: 1, requested: 1 });
    expect(await newestTask(1)).toMatchObject({ taskId: 'task-1', taskIsShared: true });
  });

  it.each([
    ['the product’s own id first', ['service-2', 'task-1']],
    ['the shared id first', ['task-1', 'service-2']],
  ])('of a shared task that comes under two ids ends one task: %s', async (_order, ids) => {
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    for (const taskId of ids) {
      const failed = { taskId, action: 'product_generation_failed' };
      await deliver(stages, await resultOf(stages, 2, failed), taskId === 'task-1' ? 'poll' : 'webhook');
    }
    expect(await stages.tasks.countByState(STORE)).toEqual({ failed: 1, requested: 1 });
    expect(await newestTask(2)).toMatchObject({ taskId: 'service-2', taskIsShared: false });
  });

  it('that was generated elsewhere after a shared task ended under two ids is a task of its own', async () => {
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    const action = 'product_generation_failed';
    await deliver(stages, await resultOf(stages, 2, { taskId: 'task-1', action }), 'poll');
    await deliver(stages, await resultOf(stages, 2, { taskId: 'service-2', action }));
    await deliver(stages, await resultOf(stages, 2, { taskId: 'service-3', action }));
    expect(await stages.tasks.countByState(STORE)).toEqual({ failed: 2, requested: 1 });
  });

  it('names nobody when the task is shared and the product is missing', async () => {
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    const { delivery } = await deliver(stages, await resultOf(stages, 2, { product: null }));
    expect(delivery).toMatchObject({ state: 'received', note: 'no linked product matches it' });
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 2 });
  });

  it('is not taken for the answer to a request that came long after it', async () => {
    stages.catalog.taskIds = 'none';
    await stages.sync();
    const old = { taskId: 'old', createdAt: new Date(Date.now() - HOUR_MS) };
    await deliver(stages, await resultOf(stages, 1, old));
    expect(await stages.tasks.openFor(ours(1))).toMatchObject({ state: 'requested' });
    expect(await stages.tasks.byTaskId(WORKSPACE, 'old')).toMatchObject({ state: 'succeeded' });
  });
});

describe('a result for an unknown product', () => {
  it('waits longer each time, and is set aside at last', async () => {
    const id = await receive(stages, await resultOf(stages, 1, { taskId: 'early' }));
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await stages.interpreter.interpret(id);
      const row = await sqlRow<{ waitMs: number }>(
        stages.db,
        `SELECT (extract(epoch FROM next_attempt_at - now()) * 1000)::double precision AS wait_ms
         FROM webhook_delivery WHERE id = $1 AND state = 'received'`,
        [id],
      );
      waits.push(Math.round((row?.waitMs ?? 0) / 500) * 500);
    }
    expect(waits).toEqual([500, 2_000, 10_000, 60_000, 300_000, 900_000]);
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({
      state: 'parked',
      note: 'no linked product matches it',
    });
  });

  it('is taken once the product is linked', async () => {
    stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
    stages.catalog.hold({ external_id: ours(1), sku: 'SKU-1' });
    const body = await resultOf(stages, 1, {
      taskId: 'early',
      product: { id: 101, external_id: ours(1), name: 'X' },
    });
    const { delivery } = await deliver(stages, body);
    expect(delivery.state).toBe('received');
    await stages.sync();
    await stages.interpreter.interpret(delivery.id);
    expect(await storedDelivery(stages, delivery.id)).toMatchObject({ state: 'processed' });
    expect(await writeBacksOf(1)).toMatchObject([{ state: 'ready' }]);
  });

  it('waits while the catalog still creates the product', async () => {
    stages.store.put(modelSnapshot(3));
    stages.catalog.background = { polls: 1000 };
    await stages.sync();
    const { delivery } = await deliver(stages, await resultOf(stages, 3, { taskId: 'early' }));
    expect(delivery).toMatchObject({ state: 'received' });
  });

  it('that was set aside is taken by a replay', async () => {
    const id = await receive(stages, await resultOf(stages, 1, { taskId: 'early' }));
    await stages.db.affected('UPDATE webhook_delivery SET attempts = 6');
    await stages.interpreter.interpret(id);
    await stages.sync();
    expect(await stages.deliveries.replay(id)).toBe(true);
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({ state: 'processed', externalId: ours(1) });
  });
});

describe('a body that is no delivery', () => {
  it.each([
    ['broken JSON', Buffer.from('{"action": "product_generated"')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['nothing', Buffer.alloc(0)],
    ['a list', Buffer.from('[]')],
    ['null', Buffer.from('null')],
    ['no action', Buffer.from('{"status":"SUCCESS"}')],
    ['an action of another type', Buffer.from('{"action":7}')],
    ['a product without an id', Buffer.from('{"action":"product_generated","product":{"name":"x"}}')],
    ['a hundred levels', Buffer.from(`{"action":"x","deep":${'['.repeat(200)}${']'.repeat(200)}}`)],
  ])('(%s) is set aside with what is wrong, and changes nothing', async (_what, body) => {
    await stages.sync();
    const { delivery } = await deliver(stages, body);
    expect(delivery).toMatchObject({ state: 'parked', note: expect.stringMatching(/^the body is/) });
    expect(delivery.rawBody.equals(body)).toBe(true);
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 2 });
  });

  it('is set aside, and one of an unknown action as well', async () => {
    await stages.sync();
    const { delivery } = await deliver(stages, await resultOf(stages, 1, { action: 'product_praised' }));
    expect(delivery).toMatchObject({ state: 'parked', note: 'unknown action "product_praised"' });
    expect(await newestTask(1)).toMatchObject({ state: 'requested' });
  });
});

describe('credits', () => {
  it('are those of the newest report, in whatever order they come', async () => {
    await stages.sync();
    for (const minute of [20, 30, 10]) {
      const at = new Date(Date.UTC(2026, 10, 20, 3, minute));
      const options = { taskId: `t-${minute}`, createdAt: at, remaining: 1000 - minute };
      await deliver(stages, await resultOf(stages, 1, options));
    }
    expect(await stages.state.workspace(WORKSPACE)).toMatchObject({ creditsRemaining: 970 });
  });

  it('are taken from a result with an unknown product', async () => {
    await deliver(stages, await resultOf(stages, 1, { taskId: 'early', remaining: 5 }));
    expect(await stages.state.workspace(WORKSPACE)).toMatchObject({ creditsRemaining: 5 });
  });
});

describe('content that a result brought and no setting maps', () => {
  const SECTIONS = [
    { code: 'power', value: '25 W' },
    { code: 'seo_title', value: 'Buy it' },
  ];
  beforeEach(async () => {
    await stages.sync();
  });

  it('stands in the row of its write-back, and is counted for its store', async () => {
    const { writeBackId } = await deliver(
      stages,
      await resultOf(stages, 1, { taskId: 'a', sections: SECTIONS }),
    );
    const row = await stages.writeBacks.get(writeBackId ?? '');
    expect(row?.arrived).toMatchObject([
      { from: 'name', fate: 'mapped', target: 'title' },
      { from: 'html_description', fate: 'mapped', target: 'descriptionHtml' },
      {
        from: 'sections.power',
        fate: 'not_mapped',
        setting: 'writeBack.sections.namespace',
        excerpt: '25 W',
      },
      { from: 'sections.seo_title', fate: 'not_mapped' },
    ]);
    const status = new StatusRepository(stages.db);
    expect((await status.unmapped([STORE], new Date(0))).get(STORE)).toBe(2);
    expect((await status.unmapped([STORE], new Date(Date.now() + 60_000))).get(STORE)).toBeUndefined();
  });

  it('is named by the delivery where nothing at all is mapped', async () => {
    stages.settings = { store: { writeBack: { fields: { brand: 'vendor' } } }, workspace: {} };
    const { delivery, writeBackId } = await deliver(
      stages,
      await resultOf(stages, 1, { taskId: 'a', sections: SECTIONS }),
    );
    expect(writeBackId).toBeNull();
    expect(delivery.note).toBe(
      'generated, but no setting maps what came: name, html_description, sections.power, sections.seo_title',
    );
  });
});
