import { expect, it } from '@jest/globals';
import { DeliveryInterpreter } from '../../../src/webhooks/interpreter.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, receive, resultOf } from '../../support/results.js';
import { sqlRows } from '../../support/sql.js';
import { Stages } from '../../support/stages.js';

const stages = await Stages.open();

/** Interprets the delivery, and does something else right before its call number `step`. False when it made fewer calls. */
async function interpretAround(
  id: string,
  step: number,
  meanwhile: () => Promise<unknown>,
): Promise<boolean> {
  let calls = 0;
  let isInTransaction = false;
  /** The part, with a pause ahead of each of its calls. What is done within a transaction is one call. */
  const pausing = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]): Promise<unknown> => {
          if (isInTransaction) return Reflect.apply(value, target, given);
          calls += 1;
          if (calls === step) await meanwhile();
          isInTransaction = name === 'inOrder';
          try {
            return await Reflect.apply(value, target, given);
          } finally {
            isInTransaction = false;
          }
        };
      },
    });
  const { deliveries, links, tasks, results, state, connections, logger } = stages;
  await new DeliveryInterpreter(
    ...([connections, pausing(deliveries), pausing(links), pausing(tasks), pausing(results)] as const),
    state,
    logger,
  ).interpret(id);
  return calls >= step;
}

interface Race {
  readonly taskIds: 'shared' | 'each' | 'none';
  readonly mode: 'auto' | 'review' | 'off';
  /** When the answer to the request arrives. */
  readonly answer: 'before' | 'meanwhile';
  /** The way whose interpretation is interrupted. */
  readonly first: 'poll' | 'webhook';
}

/** More than the calls of one interpretation. */
const PRODUCTS = 14;

/** The service's task id of each product. */
let serviceIds: Map<string, string | null>;

/** Each product was asked for, and its content is generated. */
async function requested({ taskIds, mode, answer }: Omit<Race, 'first'>): Promise<void> {
  await stages.reset();
  stages.settings = { store: { writeBack: { mode } }, workspace: {} };
  for (let id = 1; id <= PRODUCTS; id += 1) stages.store.put(snapshot(id));
  stages.catalog.taskIds = taskIds;
  await stages.sync();
  for (const id of stages.catalog.taskRecords.keys()) stages.catalog.settleTask(id, 'succeeded');
  for (const { id } of stages.catalog.products.values())
    stages.catalog.change(id, { name: `Generated ${String(id)}`, html_description: '<p>Generated</p>' });
  serviceIds = new Map();
  for (let id = 1; id <= PRODUCTS; id += 1) {
    const { externalId, taskId } = (await stages.tasks.newest(snapshot(id).externalId))!;
    serviceIds.set(externalId, taskId);
  }
  if (answer === 'meanwhile')
    await stages.db.affected('UPDATE generation_task SET task_id = NULL, answered_at = NULL');
}

/** The one way is interrupted before its call number `step` by the other. False when it made fewer calls. */
async function arrives(id: number, { taskIds, answer, first }: Race, step: number): Promise<boolean> {
  const { externalId } = snapshot(id);
  const task = (await stages.tasks.newest(externalId))!;
  const serviceId = serviceIds.get(externalId) ?? null;
  await stages.db.affected('UPDATE generation_task SET next_poll_at = now() WHERE id = $1', [task.id]);
  const [polled = ''] = await stages.poller.pollDue(stages.workspace, 10);
  const product = await stages.catalog.getProduct(task.catalogId);
  const taskId = taskIds === 'each' ? serviceId : `own-${String(id)}`;
  const delivered = await receive(
    stages,
    await resultOf(stages, id, { taskId, createdAt: new Date(), product }),
  );
  const [one, other] = first === 'poll' ? [polled, delivered] : [delivered, polled];
  const met = await interpretAround(one, step, async () => {
    if (answer === 'meanwhile')
      await stages.tasks.answered([{ id: task.id, taskId: serviceId, shared: taskIds !== 'each' }]);
    await stages.interpreter.interpret(other);
  });
  if (!met) await stages.interpreter.interpret(other);
  return met;
}

const MODES = ['auto', 'review', 'off'] as const;
/** All orders of events. The mode decides afterwards what becomes of the one result: each comes with each kind of task ids. */
const RACES = (['shared', 'each', 'none'] as const).flatMap((taskIds) =>
  (['before', 'meanwhile'] as const)
    .flatMap((answer) => (['poll', 'webhook'] as const).map((first) => ({ answer, first })))
    .map((order, index): Race => ({ ...order, taskIds, mode: MODES[index % MODES.length]! })),
);

it.each(RACES)(
  'a result that a poll and a delivery bring at once is one result (task ids $taskIds, mode $mode, request answered $answer, $first interrupted)',
  async (race) => {
    await requested(race);
    const states = { auto: ['ready'], review: ['pending_review'], off: [] }[race.mode];
    let step = 1;
    while (await arrives(step, race, step)) step += 1;
    expect(step).toBeGreaterThan(7);
    for (let id = 1; id <= step; id += 1) {
      const { externalId } = snapshot(id);
      const tasks = await sqlRows(stages.db, 'SELECT state FROM generation_task WHERE external_id = $1', [
        externalId,
      ]);
      const rows = await stages.writeBacks.forProduct(externalId);
      const seen = { id, tasks, states: rows.map(({ state }) => state) };
      expect(seen).toEqual({ id, tasks: [{ state: 'succeeded' }], states });
    }
  },
);

it('the delivery of a result that a poll brought is no answer to a request that was made since', async () => {
  await requested({ taskIds: 'shared', mode: 'auto', answer: 'before' });
  const { externalId } = snapshot(1);
  const first = (await stages.tasks.newest(externalId))!;
  await stages.db.affected(
    `UPDATE generation_task SET next_poll_at = now(), requested_at = requested_at - interval '1 minute' WHERE id = $1`,
    [first.id],
  );
  const createdAt = new Date(first.requestedAt.getTime() - 60_000);
  for (const id of await stages.poller.pollDue(stages.workspace, 10)) await stages.interpreter.interpret(id);
  await stages.generation.requestGiven(
    stages.connections.store('main'),
    [await stages.link(1)],
    new AbortController().signal,
  );
  const product = await stages.catalog.getProduct(first.catalogId);
  await deliver(stages, await resultOf(stages, 1, { taskId: 'own-1', createdAt, product }));
  expect(await stages.tasks.get(first.id)).toMatchObject({ state: 'succeeded', taskId: 'own-1' });
  expect(await stages.writeBacks.forProduct(externalId)).toHaveLength(1);
  const second = { ...product, name: 'Second' };
  await deliver(
    stages,
    await resultOf(stages, 1, { taskId: 'own-2', createdAt: new Date(), product: second }),
  );
  expect(await stages.tasks.newest(externalId)).toMatchObject({ state: 'succeeded', taskId: 'own-2' });
  expect(await stages.writeBacks.forProduct(externalId)).toHaveLength(2);
  const tasks = await sqlRows(stages.db, 'SELECT id FROM generation_task WHERE external_id = $1', [
    externalId,
  ]);
  expect(tasks).toHaveLength(2);
});
