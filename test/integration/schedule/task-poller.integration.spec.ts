import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onKillPoint, type KillPoint } from '../../../src/runtime/kill-point.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { Stages, STORE } from '../../support/stages.js';
import { sqlRow } from '../../support/sql.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2), snapshot(3));
});
afterEach(() => {
  onKillPoint(null);
});

const ours = (id: number): string => snapshot(id).externalId;
const HOUR_MS = 3_600_000;

/** Asks for content as configured, and forgets what was asked of the catalog so far. */
async function requested(taskIds: 'shared' | 'each' | 'none' = 'each'): Promise<void> {
  stages.catalog.taskIds = taskIds;
  await stages.sync();
  stages.catalog.script.forget();
}

/** All open tasks come due; what the poll learns is interpreted. */
async function poll(): Promise<string[]> {
  await stages.db.affected(`UPDATE generation_task SET next_poll_at = now() WHERE state = 'requested'`);
  const ids = await stages.poller.pollDue(stages.workspace, 500);
  for (const id of ids) await stages.interpreter.interpret(id);
  return ids;
}

/** The service ends the product's task well, with content. */
async function generates(id: number, name = `Generated ${id}`): Promise<void> {
  const { catalogId } = await stages.link(id);
  stages.catalog.change(Number(catalogId), { name, html_description: `<p>${name}</p>` });
  const task = await stages.tasks.newest(ours(id));
  if (task?.taskId != null) stages.catalog.settleTask(task.taskId, 'succeeded');
}

const newest = async (id: number) => (await stages.tasks.newest(ours(id)))!;

describe('a poll', () => {
  it('settles a task that no delivery closed, and intends the write-back', async () => {
    await requested();
    await generates(1);
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'succeeded', settledBy: 'poll' });
    expect(await newest(2)).toMatchObject({ state: 'requested' });
    expect(await stages.writeBacks.forProduct(ours(1))).toMatchObject([{ state: 'ready' }]);
  });

  it('of a task that failed keeps the service’s reason', async () => {
    await requested();
    stages.catalog.settleTask((await newest(1)).taskId!, 'failed', 'No sources.');
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'failed', settledBy: 'poll', reason: 'No sources.' });
  });

  it('leaves a task that a delivery settled alone', async () => {
    await requested();
    await generates(1);
    await deliver(stages, await resultOf(stages, 1));
    await poll();
    expect(await newest(1)).toMatchObject({ settledBy: 'webhook' });
    const asked = stages.catalog.script.calls.filter((call) => call.operation === 'getBackgroundTask');
    expect(asked).toHaveLength(2);
  });

  it('asks once about a task that many products share', async () => {
    await requested('shared');
    stages.catalog.settleTask('task-1', 'succeeded');
    expect(await poll()).toHaveLength(3);
    expect(stages.catalog.script.count('getBackgroundTask')).toBe(1);
    expect(await stages.tasks.countByState(STORE)).toEqual({ succeeded: 3 });
  });

  it('treats an unknown status as running', async () => {
    await requested();
    await poll();
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3 });
  });

  it('due in ten replicas at once is made by one of them', async () => {
    await requested();
    await stages.db.affected('UPDATE generation_task SET next_poll_at = now()');
    const { poller } = stages;
    await Promise.all(Array.from({ length: 10 }, () => poller.pollDue(stages.workspace, 500)));
    expect(stages.catalog.script.count('getBackgroundTask')).toBe(3);
  });

  it('that is not due asks nothing', async () => {
    await requested();
    expect(await stages.poller.pollDue(stages.workspace, 500)).toEqual([]);
    expect(stages.catalog.script.calls).toEqual([]);
  });

  it('comes at growing intervals, half an hour apart at most', async () => {
    await requested();
    const waits: number[] = [];
    for (let time = 0; time < 12; time += 1) {
      await poll();
      const row = await sqlRow<{ waitMs: number }>(
        stages.db,
        `SELECT extract(epoch FROM next_poll_at - now())::double precision AS wait_ms FROM generation_task LIMIT 1`,
      );
      waits.push(Math.round(row?.waitMs ?? 0));
    }
    const grown = [90, 135, 202.5, 303.75];
    grown.forEach((wait, index) => {
      expect(Math.abs((waits[index] ?? 0) - wait)).toBeLessThanOrEqual(2);
    });
    for (const wait of waits.slice(-2)) expect(Math.abs(wait - 1800)).toBeLessThanOrEqual(2);
  });
});

describe('a poll that meets a fault', () => {
  it.each(['transient', 'throttled'] as const)('(%s) leaves the task open for the next', async (code) => {
    await requested();
    await generates(1);
    stages.catalog.script.before('getBackgroundTask', refusal(code), 3);
    await poll();
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3 });
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'succeeded' });
  });

  it('reading the product leaves the task open', async () => {
    await requested();
    await generates(1);
    stages.catalog.script.before('getProduct', refusal('transient'));
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'requested' });
  });

  it('because the product is gone notes it, and gives up in the end', async () => {
    await requested();
    await generates(1);
    stages.catalog.products.clear();
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'requested', reason: 'Not found.' });
    stages.clock.advance(25 * HOUR_MS);
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'abandoned' });
  });

  it.each(['poll.asked', 'poll.stored'] as const satisfies readonly KillPoint[])(
    'by dying at %s is made again, with one delivery',
    async (point) => {
      await requested();
      await generates(1);
      onKillPoint((reached) => {
        if (reached === point) throw new Error('died');
      });
      await expect(poll()).rejects.toThrow('died');
      onKillPoint(null);
      await poll();
      expect(await newest(1)).toMatchObject({ state: 'succeeded' });
      const rows = (
        await new ListingRepository(stages.db).deliveries({ limit: 10, offset: 0, order: 'desc' }, {})
      ).rows;
      expect(rows).toHaveLength(1);
    },
  );
});

describe('where tasks are out of reach', () => {
  it.each(['auth', 'not_found'] as const)('(%s) the product decides', async (code) => {
    await requested();
    await generates(1);
    stages.catalog.script.before('getBackgroundTask', refusal(code, { status: 403 }), 6);
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'succeeded', settledBy: 'poll' });
    expect(await newest(2)).toMatchObject({ state: 'requested' });
    const [intended] = await stages.writeBacks.forProduct(ours(1));
    expect(intended?.intended).toMatchObject([{ value: 'Generated 1' }, { value: '<p>Generated 1</p>' }]);
  });

  it('what an earlier result brought is no new one', async () => {
    await requested('none');
    await generates(1);
    await poll();
    await stages.links.generationDueAgain(ours(1));
    const signal = new AbortController().signal;
    await stages.generation.requestDue(stages.connections.store(STORE), null, 10, signal);
    await poll();
    expect(await stages.tasks.openFor(ours(1))).not.toBeNull();
    await generates(1, 'Second');
    await poll();
    expect(await stages.tasks.openFor(ours(1))).toBeNull();
    expect(await stages.writeBacks.forProduct(ours(1))).toHaveLength(2);
  });
});

describe('a task without an end', () => {
  it('is abandoned after a day, and shown', async () => {
    await requested();
    stages.clock.advance(23.9 * HOUR_MS);
    await poll();
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3 });
    stages.clock.advance(0.2 * HOUR_MS);
    await poll();
    expect(await newest(1)).toMatchObject({
      state: 'abandoned',
      reason: 'no end was reported within 24 hours',
    });
    expect(await stages.tasks.countByState(STORE)).toEqual({ abandoned: 3 });
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 0 });
  });

  it('whose result was set aside is abandoned after a day, and the sweep brings the result', async () => {
    await requested();
    await generates(1);
    stages.storeKey = 'renamed';
    const [id = ''] = await poll();
    await stages.db.affected('UPDATE webhook_delivery SET attempts = 6, next_attempt_at = now()');
    await stages.interpreter.interpret(id);
    expect(await stages.deliveries.countByState()).toEqual({ parked: 1 });
    stages.storeKey = STORE;
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'requested' });
    stages.clock.advance(25 * HOUR_MS);
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'abandoned' });
    for (const found of await stages.poller.sweepResults(stages.workspace))
      await stages.interpreter.interpret(found);
    expect(await stages.writeBacks.forProduct(ours(1))).toMatchObject([{ state: 'ready' }]);
  });

  it('whose request was never answered is asked for again after as long as any other is waited for', async () => {
    const unknown = refusal('transient', { outcomeUnknown: true });
    stages.catalog.script.before('generate', unknown);
    await requested();
    stages.clock.advance(23.9 * HOUR_MS);
    await poll();
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 0 });
    stages.clock.advance(0.2 * HOUR_MS);
    await poll();
    expect(await newest(1)).toMatchObject({
      state: 'abandoned',
      reason: expect.stringContaining('asked again'),
    });
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 3 });
  });

  it('whose request was never answered but heard is settled by what it brought', async () => {
    stages.catalog.script.after('generate', refusal('transient', { outcomeUnknown: true }));
    await requested();
    await generates(1);
    await poll();
    expect(await newest(1)).toMatchObject({ state: 'succeeded' });
  });
});
