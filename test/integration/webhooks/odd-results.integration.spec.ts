import { beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprint } from '../../../src/domain/fingerprint.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, receive, resultOf, type ResultOptions, storedDelivery } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
});

const ours = (id: number): string => snapshot(id).externalId;

/** No index of the database takes it: it cannot be compressed. */
const LONG = Array.from({ length: 200 }, (_unused, index) => fingerprint(index)).join('');

describe('a result', () => {
  it.each<[string, ResultOptions]>([
    ['a task id that no index takes', { taskId: LONG }],
    ['a task id that no database holds', { taskId: 'a\u0000b\ud800' }],
    ['a reason that no database holds', { reason: 'no\u0000 way\ud800' }],
  ])('with %s settles its task like any other', async (_what, options) => {
    const action = 'product_generation_failed';
    const { delivery } = await deliver(stages, await resultOf(stages, 1, { action, ...options }));
    expect(delivery).toMatchObject({ state: 'processed', note: expect.stringContaining('no content: ') });
    expect(await stages.tasks.countByState(STORE)).toMatchObject({ failed: 1 });
  });

  it('with a time that no database holds counts as undated', async () => {
    const ancient = await resultOf(stages, 1, { createdAt: new Date('-200000-01-01') });
    expect((await deliver(stages, ancient)).delivery).toMatchObject({ state: 'processed' });
    expect(await stages.tasks.newest(ours(1))).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    ['an action that no database holds', { action: 'a\u0000b' }],
    ['an external_id that no index takes', { taskId: null, product: { id: 9_999, external_id: LONG } }],
    [
      'the number of a variant that no index takes',
      { product: { id: 9_999, external_id: `${ours(1)}:${LONG.replaceAll(/[a-f]/g, '7')}` } },
    ],
  ])('with %s is set aside, with the reason', async (_what, options) => {
    const id = await receive(stages, await resultOf(stages, 1, options));
    await stages.db.affected('UPDATE webhook_delivery SET attempts = 1000 WHERE id = $1', [id]);
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({ state: 'parked', crashCount: 0 });
  });
});
