import { beforeEach, describe, expect, it } from '@jest/globals';
import { catalogFields } from '../../../src/planner/catalog-content.js';
import { snapshot } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  await linkedOnly();
});

const signal = new AbortController().signal;
const ours = (id: number): string => snapshot(id).externalId;

/** Links four products without asking for content. */
async function linkedOnly(): Promise<void> {
  stages.store.put(...[1, 2, 3, 4].map((id) => snapshot(id)));
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
  await stages.sync();
  stages.settings = { store: {}, workspace: {} };
}

describe('a product whose content is asked for by a later run', () => {
  it('is compared with what the catalog holds then, and not with what was pushed', async () => {
    stages.catalog.change(stages.catalog.of(ours(1))!.id, { description: 'An editor wrote this meanwhile.' });
    await stages.sync();
    const { askedFields } = (await stages.tasks.openFor(ours(1)))!;
    expect(askedFields).toEqual(
      catalogFields(await stages.catalog.getProduct((await stages.link(1)).catalogId!)),
    );
  });

  it('is not asked for once it is another system’s', async () => {
    stages.catalog.change(stages.catalog.of(ours(1))!.id, { external_id: 'erp:1' });
    const store = stages.connections.store(STORE);
    expect(await stages.generation.requestDue(store, null, 1000, signal)).toMatchObject({
      requested: 3,
      stopped: null,
    });
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3, failed: 1 });
    expect(await stages.tasks.newest(ours(1))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('erp:1'),
    });
  });
});

describe('a worker that lost its run while it waited to send', () => {
  it('asks for nothing, and the products are due again', async () => {
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
