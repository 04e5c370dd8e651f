import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliver, receive, resultOf, writeAll, type ResultOptions } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2));
});

const ours = (id: number): string => snapshot(id).externalId;
const MINUTE_MS = 60_000;
const title = (id = 1): string => stages.store.at(String(id)).title;
const rows = (id = 1) => stages.writeBacks.forProduct(ours(id));

/** The catalog product holds this content from now on. */
async function generates(name: string, id = 1): Promise<void> {
  const { catalogId } = await stages.link(id);
  stages.catalog.change(Number(catalogId), { name, html_description: `<p>${name}</p>` });
}

/** A delivery of the service about what its product holds, and its way to the store. */
async function reports(name: string, options: ResultOptions = {}): Promise<string | null> {
  const { delivery } = await deliver(
    stages,
    await resultOf(stages, 1, { name, html: `<p>${name}</p>`, ...options }),
  );
  await writeAll(stages);
  return delivery.note;
}

async function polls(): Promise<void> {
  await stages.db.affected(`UPDATE generation_task SET next_poll_at = now() WHERE state = 'requested'`);
  for (const id of await stages.poller.pollDue(stages.workspace, 500)) await stages.interpreter.interpret(id);
  await writeAll(stages);
}

async function sweeps(): Promise<void> {
  stages.clock.advance(10 * MINUTE_MS);
  for (const id of await stages.poller.sweepResults(stages.workspace)) await stages.interpreter.interpret(id);
  await writeAll(stages);
}

/** Both products are requested, and the first result is taken by a poll. */
async function requested(taskIds: 'shared' | 'each' | 'none'): Promise<void> {
  stages.catalog.taskIds = taskIds;
  await stages.sync();
  await generates('First');
  await generates('Other', 2);
  for (const id of stages.catalog.taskRecords.keys()) stages.catalog.settleTask(id, 'succeeded');
  await polls();
  expect(title()).toBe('First');
}

const unasked = async (): Promise<number> => (await stages.tasks.countByState(STORE))['succeeded']! - 2;

describe.each(['shared', 'each', 'none'] as const)('with task ids %s', (taskIds) => {
  it('text A, then B, then A again reaches the store each time by the sweep', async () => {
    await requested(taskIds);
    for (const name of ['Text A', 'Text B', 'Text A', 'Text B', 'Text A']) {
      await generates(name);
      await sweeps();
      expect(title()).toBe(name);
    }
    await sweeps();
    expect(await rows()).toHaveLength(6);
  });

  it('text A, then B, then A again reaches the store each time by deliveries', async () => {
    await requested(taskIds);
    for (const [index, name] of ['Text A', 'Text B', 'Text A'].entries()) {
      await generates(name);
      await reports(name, { taskId: `theirs-${index}`, createdAt: new Date() });
      expect(title()).toBe(name);
    }
    expect(await unasked()).toBe(3);
  });

  it('a result that a poll and a delivery bring is one result, also under an id of its own', async () => {
    await requested(taskIds);
    const note = await reports('First', { taskId: 'service-1', createdAt: new Date() });
    expect(note).toContain('the same result was received before');
    expect(await rows()).toMatchObject([{ state: 'applied' }]);
    expect(await unasked()).toBe(0);
  });

  it.each([
    ['behind', -2],
    ['ahead', 2],
  ])('a later result of a service whose clock is two minutes %s is written', async (_way, minutes) => {
    await requested(taskIds);
    await generates('Second');
    const createdAt = new Date(Date.now() + minutes * MINUTE_MS);
    await reports('Second', { taskId: 'theirs', createdAt });
    expect(title()).toBe('Second');
    await generates('Third');
    await sweeps();
    expect(title()).toBe('Third');
  });

  it.each([
    ['right', 0],
    ['two minutes behind', -2],
    ['two minutes ahead', 2],
  ])('a late retry of an old result is not written over a newer one (clock %s)', async (_way, minutes) => {
    const began = new Date(Date.now() + minutes * MINUTE_MS);
    await requested(taskIds);
    await generates('Second');
    await sweeps();
    const note = await reports('First', { taskId: 'late', createdAt: began });
    expect(note).toContain('newer result');
    expect(title()).toBe('Second');
    expect(await unasked()).toBe(1);
  });

  it('a result dated 9999 is taken, and hides no later one', async () => {
    await requested(taskIds);
    await generates('Far away');
    await reports('Far away', { taskId: 'far', createdAt: new Date('9999-01-01T00:00:00Z') });
    expect(title()).toBe('Far away');
    await generates('Nearer by');
    await reports('Nearer by', { taskId: 'near', createdAt: new Date(Date.now() - 2 * MINUTE_MS) });
    expect(title()).toBe('Nearer by');
    await generates('Swept up');
    await sweeps();
    expect(title()).toBe('Swept up');
  });
});

describe('a delivery whose product is still the old one', () => {
  it('is completed by what the catalog holds', async () => {
    await stages.sync();
    await generates('Generated');
    await deliver(stages, await resultOf(stages, 1, { name: 'Product 1', html: '' }));
    await writeAll(stages);
    expect(title()).toBe('Generated');
    expect(await rows()).toHaveLength(1);
  });

  it('settles its task, and the sweep brings the content when the catalog shows it', async () => {
    await stages.sync();
    await deliver(stages, await resultOf(stages, 1, { name: 'Product 1', html: '' }));
    await writeAll(stages);
    expect(await stages.tasks.newest(ours(1))).toMatchObject({ state: 'succeeded' });
    await generates('Generated');
    await sweeps();
    expect(title()).toBe('Generated');
  });

  it('is no second result where a first one was taken', async () => {
    await requested('each');
    await generates('Second');
    await reports('First', { taskId: 'theirs', createdAt: new Date(Date.now() + MINUTE_MS) });
    expect(title()).toBe('Second');
  });
});

describe('a poll, a sweep and a delivery of one result at the same time', () => {
  it.each([
    ['auto', 'at once'],
    ['review', 'at once'],
    ['auto', 'the sweep first'],
    ['review', 'the sweep first'],
  ] as const)('lead to one write-back and one task (%s, %s)', async (mode, way) => {
    stages.settings = { store: { writeBack: { mode } }, workspace: {} };
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    await generates('Generated 1');
    stages.catalog.settleTask('task-1', 'succeeded');
    await stages.db.affected(`UPDATE generation_task SET next_poll_at = now() WHERE state = 'requested'`);
    const polled = await stages.poller.pollDue(stages.workspace, 500);
    const reported = await receive(stages, await resultOf(stages, 1, { taskId: 'service-1' }));
    // The sweep looks while the task is settled already and the content is not yet noted.
    await stages.db.affected(`UPDATE generation_task SET state = 'succeeded', settled_at = now()`);
    const swept = await stages.poller.sweepResults(stages.workspace);
    await stages.db.affected(`UPDATE generation_task SET state = 'requested', settled_at = NULL`);
    expect(swept).not.toEqual([]);
    const { interpreter } = stages;
    if (way === 'the sweep first') for (const id of swept) await interpreter.interpret(id);
    await Promise.all([...polled, reported, ...swept].map((id) => interpreter.interpret(id)));
    await writeAll(stages);
    expect(await rows()).toMatchObject([{ state: mode === 'auto' ? 'applied' : 'pending_review' }]);
    expect(await stages.tasks.countByState(STORE)).toEqual({ succeeded: 2 });
  });
});
