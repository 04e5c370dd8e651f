import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { onKillPoint, type KillPoint } from '../../../src/runtime/kill-point.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, receive, resultOf, storedDelivery, writeAll } from '../../support/results.js';
import { Stages } from '../../support/stages.js';
import { sqlRows } from '../../support/sql.js';

const stages = await Stages.open();
beforeEach(restart);

async function restart(): Promise<void> {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
}

afterEach(() => {
  onKillPoint(null);
});

const ours = snapshot(1).externalId;
const HOUR_MS = 3_600_000;

type Event = 'generated' | 'again' | 'failed' | 'no_urls' | 'poll' | 'newer' | 'older';
const EVENTS: readonly Event[] = ['generated', 'again', 'failed', 'no_urls', 'poll', 'newer', 'older'];

async function happen(event: Event): Promise<void> {
  const now = Date.now();
  switch (event) {
    case 'generated':
    case 'again':
      await deliver(stages, await resultOfOwnTask({}));
      return;
    case 'poll':
      await deliver(stages, await resultOfOwnTask({}), 'poll');
      return;
    case 'failed':
    case 'no_urls':
      await deliver(stages, await resultOfOwnTask({ action: `product_generation_${event}` }));
      return;
    case 'newer':
      await deliver(
        stages,
        await resultOf(stages, 1, { taskId: 'newer', name: 'Newer', createdAt: new Date(now + HOUR_MS) }),
      );
      return;
    case 'older':
      await deliver(
        stages,
        await resultOf(stages, 1, { taskId: 'older', name: 'Older', createdAt: new Date(now - HOUR_MS) }),
      );
  }
}

async function resultOfOwnTask(options: { action?: string }): Promise<object> {
  const task = await stages.tasks.byTaskId('default', 'task-1');
  return resultOf(stages, 1, { ...options, taskId: 'task-1', createdAt: task!.requestedAt });
}

async function tasks() {
  return sqlRows<{ taskId: string; state: string }>(
    stages.db,
    'SELECT task_id, state FROM generation_task ORDER BY task_id, id',
  );
}

describe('results in whatever order', () => {
  it('end with the newest in the store, one task each, and no settled task moved', async () => {
    const order = fc.shuffledSubarray([...EVENTS], { minLength: 1 });
    const pauses = fc.array(fc.boolean(), { minLength: EVENTS.length, maxLength: EVENTS.length });
    await fc.assert(
      fc.asyncProperty(order, pauses, async (events, writes) => {
        await restart();
        let settledAs: string | undefined;
        for (const [index, event] of events.entries()) {
          await happen(event);
          if (writes[index] === true) await writeAll(stages);
          const own = (await tasks()).find((task) => task.taskId === 'task-1');
          if (settledAs !== undefined) expect(own?.state).toBe(settledAs);
          settledAs = own?.state === 'requested' ? undefined : own?.state;
        }
        await writeAll(stages);
        const ids = (await tasks()).map((task) => task.taskId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(stages.store.at('1').title).toBe(expectedTitle(events));
        const applied = (await stages.writeBacks.forProduct(ours)).filter((row) => row.state === 'applied');
        expect(stages.store.script.count('writeFields')).toBe(applied.length);
      }),
      { numRuns: 25 },
    );
  });
});

function expectedTitle(events: readonly Event[]): string {
  if (events.includes('newer')) return 'Newer';
  if (events.some((event) => event === 'generated' || event === 'again' || event === 'poll'))
    return 'Generated 1';
  return events.includes('older') ? 'Older' : 'Product 1';
}

/** The rows without the times and counters that another interpretation may change. */
async function endState() {
  const rows = await sqlRows(
    stages.db,
    `SELECT 'delivery' AS kind, state, external_id, task_id AS detail FROM webhook_delivery
     UNION ALL SELECT 'task', state, external_id, coalesce(task_id, '-') FROM generation_task
     UNION ALL SELECT 'write-back', state, external_id, content_fingerprint FROM write_back
     ORDER BY 1, 2, 4`,
  );
  return { rows, title: stages.store.at('1').title };
}

describe('a replay', () => {
  it.each([
    ['generated', {}],
    ['failed', { action: 'product_generation_failed' }],
    ['generated without a task', { taskId: null }],
    ['failed without a task', { taskId: null, action: 'product_generation_failed' }],
    ['unasked', { taskId: 'theirs', createdAt: new Date(Date.now() - HOUR_MS) }],
    ['unasked, of no task', { taskId: null }],
  ])('of a result (%s) leads to the same end', async (name, options) => {
    if (name.endsWith('no task'))
      await stages.tasks.settle((await stages.tasks.openFor(ours))!.id, {
        ...{ state: 'succeeded', settledBy: 'poll', reason: null },
      });
    const { delivery } = await deliver(stages, await resultOf(stages, 1, options));
    await writeAll(stages);
    const before = await endState();
    for (let time = 0; time < 2; time += 1) {
      expect(await stages.deliveries.replay(delivery.id)).toBe(true);
      await stages.interpreter.interpret(delivery.id);
      await writeAll(stages);
    }
    expect(await endState()).toEqual(before);
    expect(stages.store.script.count('writeFields')).toBeLessThanOrEqual(1);
  });

  it('of a delivery that is not settled, or not there, is no replay', async () => {
    const id = await receive(stages, await resultOf(stages, 1));
    expect(await stages.deliveries.replay(id)).toBe(false);
    expect(await stages.deliveries.replay('nonsense')).toBe(false);
  });
});

describe('an interpreter that dies', () => {
  const points: KillPoint[] = [
    'interpret.claimed',
    'interpret.task-ended',
    'interpret.intended',
    'interpret.done',
  ];
  it.each(points)('at %s is followed by one that comes to the same end', async (point) => {
    const id = await receive(stages, await resultOf(stages, 1));
    onKillPoint((reached) => {
      if (reached === point) throw new Error('died');
    });
    await expect(stages.interpreter.interpret(id)).rejects.toThrow('died');
    onKillPoint(null);
    expect(await stages.interpreter.interpret(id)).toEqual({ state: null, writeBackId: null });
    await stages.db.affected(`UPDATE webhook_delivery SET lease_until = now() - interval '1 second'`);
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({ state: 'processed' });
    expect(await stages.tasks.newest(ours)).toMatchObject({ state: 'succeeded' });
    expect(await stages.writeBacks.forProduct(ours)).toMatchObject([{ state: 'ready', deliveryId: id }]);
    expect(await stages.writeBacks.due(10)).toHaveLength(1);
  });

  it.each(points)(
    'at %s, with a result that was not requested here, leaves alone what the merchant wrote after its generation began',
    async (point) => {
      await stages.db.affected(`UPDATE sync_action SET settled_at = settled_at - interval '2 hours'`);
      stages.store.edit('1', { title: 'By hand' });
      await stages.sync();
      const createdAt = new Date(Date.now() - HOUR_MS);
      const id = await receive(stages, await resultOf(stages, 1, { taskId: 'theirs', createdAt }));
      onKillPoint((reached) => {
        if (reached === point) throw new Error('died');
      });
      await expect(stages.interpreter.interpret(id)).rejects.toThrow('died');
      onKillPoint(null);
      await stages.db.affected(`UPDATE webhook_delivery SET lease_until = now() - interval '1 second'`);
      await stages.interpreter.interpret(id);
      await writeAll(stages);
      expect(stages.store.at('1').title).toBe('By hand');
    },
  );

  it('again and again on one delivery sets it aside', async () => {
    const id = await receive(stages, await resultOf(stages, 1));
    onKillPoint((reached) => {
      if (reached === 'interpret.claimed') throw new Error('died');
    });
    for (let death = 0; death < 10; death += 1) {
      await expect(stages.interpreter.interpret(id)).rejects.toThrow('died');
      await stages.db.affected(
        `UPDATE webhook_delivery SET lease_until = now() - interval '1 second', next_attempt_at = now()`,
      );
    }
    onKillPoint(null);
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({
      state: 'parked',
      note: expect.stringContaining('workers crashed on this delivery'),
    });
  });
});
