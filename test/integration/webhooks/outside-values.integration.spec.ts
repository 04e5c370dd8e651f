import { beforeEach, describe, expect, it } from '@jest/globals';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf, writeAll } from '../../support/results.js';
import { Stages, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
});

const FAR = new Date('2999-01-01T00:00:00Z');

describe('times of the far future', () => {
  beforeEach(async () => {
    await stages.sync();
  });

  it('do not freeze the credits', async () => {
    await deliver(stages, await resultOf(stages, 1, { taskId: 'far', createdAt: FAR, remaining: 7 }));
    const { creditsAt } = (await stages.state.workspace(WORKSPACE))!;
    expect(creditsAt!.getTime()).toBeLessThan(Date.now() + 301_000);
  });
});

describe('a delivery that leaves its task unnamed', () => {
  it.each(['', null])('(id %j) is taken like any other', async (id) => {
    await stages.sync();
    const body = (await resultOf(stages, 1)) as { task: object };
    const { delivery, writeBackId } = await deliver(stages, { ...body, task: { ...body.task, id } });
    expect(delivery).toMatchObject({ state: 'processed' });
    expect(writeBackId).not.toBeNull();
    expect(await stages.tasks.newest(snapshot(1).externalId)).toMatchObject({ state: 'succeeded' });
  });
});

describe('with a language of the workspace', () => {
  beforeEach(async () => {
    stages.settings = { store: {}, workspace: { locale: 'fr' } };
    await stages.sync();
    stages.catalog.script.forget();
  });

  it('the store gets the text in that language, whatever the delivery shows', async () => {
    stages.catalog.translated.set('fr', { name: 'Chaise', html_description: '<p>Chaise</p>' });
    await deliver(stages, await resultOf(stages, 1, { name: 'Chair', html: '<p>Chair</p>' }));
    await writeAll(stages);
    expect(stages.store.at('1')).toMatchObject({ title: 'Chaise', descriptionHtml: '<p>Chaise</p>' });
    expect(stages.catalog.script.calls.filter(({ operation }) => operation === 'getProduct')).toMatchObject([
      { args: [(await stages.link(1)).catalogId, 'fr'] },
    ]);
  });

  it('a product without a text in it is settled, and nothing is written', async () => {
    stages.catalog.script.before('getProduct', refusal('not_found'));
    const { delivery } = await deliver(stages, await resultOf(stages, 1));
    expect(delivery).toMatchObject({
      state: 'processed',
      note: expect.stringContaining('fr: the catalog has no text'),
    });
    expect(await stages.writeBacks.forProduct(snapshot(1).externalId)).toEqual([]);
    expect(await stages.tasks.newest(snapshot(1).externalId)).toMatchObject({ state: 'succeeded' });
  });

  it('waits while the catalog cannot be asked', async () => {
    stages.catalog.script.before('getProduct', refusal('transient'));
    const { delivery } = await deliver(stages, await resultOf(stages, 1));
    expect(delivery).toMatchObject({ state: 'received' });
  });
});
