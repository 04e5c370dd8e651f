import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(...[1, 2, 3, 4].map((id) => snapshot(id)));
});

const signal = new AbortController().signal;

/** Links four products without asking for content. */
async function linkedOnly(): Promise<void> {
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
  await stages.sync();
  stages.settings = { store: {}, workspace: {} };
}

describe('a worker that lost its run while it waited to send', () => {
  it('asks for nothing, and the products are due again', async () => {
    await linkedOnly();
    const store = stages.connections.store(STORE);
    const lost = (): never => {
      throw new Error('another worker has the run');
    };
    await expect(stages.generation.requestDue(store, null, 1000, signal, undefined, lost)).rejects.toThrow(
      'another worker',
    );
    expect(stages.catalog.script.count('generate')).toBe(0);
    expect(await stages.tasks.countByState(STORE)).toEqual({});
    expect(await stages.generation.requestDue(store, null, 1000, signal)).toMatchObject({ requested: 4 });
  });
});
