import { beforeEach, describe, expect, it } from '@jest/globals';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { receive, resultOf, storedDelivery } from '../../support/results.js';
import { Stages, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

describe('a result that a process interprets which does not know', () => {
  it.each<[string, () => void, () => Promise<object>]>([
    ['its store', () => (stages.isConfigured = false), () => resultOf(stages, 1)],
    [
      'the store of its variant',
      () => (stages.isConfigured = false),
      () =>
        resultOf(stages, 3, { product: { id: 999, external_id: modelSnapshot(3).variants[0]!.externalId } }),
    ],
    ['its workspace', () => (stages.workspaceKey = 'another'), () => resultOf(stages, 1)],
  ])('%s, waits for one that does', async (_what, forget, result) => {
    stages.store.put(snapshot(1), modelSnapshot(3));
    await stages.sync();
    const body = await result();
    forget();
    const id = await receive(stages, body);
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({ state: 'received', attempts: 1 });
    [stages.isConfigured, stages.workspaceKey] = [true, WORKSPACE];
    await stages.db.affected('UPDATE webhook_delivery SET next_attempt_at = now()');
    expect(await stages.interpreter.interpret(id)).toMatchObject({ state: 'processed' });
  });
});
