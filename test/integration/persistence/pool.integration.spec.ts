import { expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, receive, resultOf } from '../../support/results.js';
import { Stages } from '../../support/stages.js';

/** So many of each are worked at the same time in one process. */
const WRITE_BACKS = 64;
const DELIVERIES = 32;

const stages = await Stages.open();

it('the connections of a process suffice for all write-backs and deliveries that it works at once', async () => {
  await stages.reset();
  for (let id = 1; id <= WRITE_BACKS + DELIVERIES; id += 1) stages.store.put(snapshot(id));
  await stages.sync();
  const writeBacks: string[] = [];
  for (let id = 1; id <= WRITE_BACKS; id += 1) writeBacks.push(await deliverNewer(stages, { id }));
  const deliveries: string[] = [];
  for (let id = WRITE_BACKS + 1; id <= WRITE_BACKS + DELIVERIES; id += 1)
    deliveries.push(await receive(stages, await resultOf(stages, id, { taskId: `task-${String(id)}` })));
  const written = await Promise.all([
    ...writeBacks.map((id) => stages.writer.write(id)),
    ...deliveries.map((id) => stages.interpreter.interpret(id)),
  ]);
  const states = written.map((each) => each?.state);
  expect(states.filter((state) => state === 'applied')).toHaveLength(WRITE_BACKS);
  expect(states.filter((state) => state === 'processed')).toHaveLength(DELIVERIES);
});
