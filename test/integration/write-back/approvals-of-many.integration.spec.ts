import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Permissions } from '../../../src/domain/approval.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer } from '../../support/results.js';
import { PERSON, Stages, STORE } from '../../support/stages.js';

const NOTHING_MORE: Permissions = { overwriteEdits: false, passGates: false };
const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = {
    store: { writeBack: { mode: 'review', gates: { forbid: ['(?i)best price'] } } },
    workspace: {},
  };
  for (const id of [1, 2, 3]) stages.store.put(snapshot(id));
  await stages.sync();
});

const rowOf = async (id: string) => (await stages.writeBacks.get(id))!;
const title = (id: number) => stages.store.at(String(id)).title;

async function bulk(permissions: Partial<Permissions> = {}) {
  const filter = { store: STORE };
  const { count, until } = await stages.bulkChanges.matching('approve', filter, null);
  const id = await stages.bulkChanges.add({
    ...{ action: 'approve', filter, dryRun: false, until, actor: 'somebody', matching: count },
    permissions: { ...NOTHING_MORE, ...permissions },
  });
  const woken: string[] = [];
  await stages.bulkWorker.work(id, {
    signal: new AbortController().signal,
    wake: async (ids) => void woken.push(...ids),
  });
  for (const each of woken) await stages.writer.write(each);
  return (await stages.bulkChanges.get(id))!;
}

/** One text that nobody objects to, one whose title the merchant edited since, and one that a gate holds back. */
async function threeTexts() {
  const clean = await deliverNewer(stages, { id: 1 });
  const edited = await deliverNewer(stages, { id: 2 });
  const gated = await deliverNewer(stages, { id: 3, name: 'The best price' });
  stages.store.edit('2', { title: 'Mine' });
  return { clean, edited, gated };
}

describe('an approval of all that match', () => {
  it('leaves a field that the merchant edited since and a text that a gate holds back, and counts both', async () => {
    const { clean, gated } = await threeTexts();
    expect(await bulk()).toMatchObject({
      ...{ state: 'done', matching: 3, done: 1, refused: 2, leftEdited: 1, leftInPart: 1, leftGated: 1 },
      items: [
        { ok: false, left: 'edited', detail: expect.stringContaining('edited by the merchant: title') },
        { ok: false, left: 'gate', detail: expect.stringContaining('held back by a gate: title') },
      ],
    });
    expect([title(1), title(2), title(3)]).toEqual(['Generated 1', 'Mine', 'Product 3']);
    expect(stages.store.at('2').descriptionHtml).toBe('<p>Generated 2</p>');
    expect((await rowOf(clean)).state).toBe('applied');
    expect(await rowOf(gated)).toMatchObject({
      ...{ state: 'pending_review', gateFindings: [{ gate: 'forbid', target: 'title' }] },
    });
  });

  it('keeps the field that it left in review, where a person may still approve it', async () => {
    await threeTexts();
    await bulk();
    const rows = await stages.writeBacks.forProduct(snapshot(2).externalId);
    expect(rows.map(({ state, intended }) => [state, intended.map(({ target }) => target)])).toEqual([
      ['applied', ['title', 'descriptionHtml']],
      ['pending_review', ['title']],
    ]);
    expect(await bulk({ overwriteEdits: true, passGates: true })).toMatchObject({
      ...{ matching: 2, done: 2, refused: 0, leftEdited: 0, leftGated: 0 },
    });
    expect([title(1), title(2), title(3)]).toEqual(['Generated 1', 'Generated 2', 'The best price']);
  });

  it('leaves a text of which every field was edited as it is', async () => {
    const { edited } = await threeTexts();
    stages.store.edit('2', { descriptionHtml: '<p>Mine</p>' });
    expect(await bulk()).toMatchObject({ done: 1, leftEdited: 1, leftInPart: 0 });
    expect((await rowOf(edited)).state).toBe('pending_review');
    expect(await stages.writeBacks.forProduct(snapshot(2).externalId)).toHaveLength(1);
  });

  it.each([
    [{ overwriteEdits: true }, ['Generated 1', 'Generated 2', 'Product 3']],
    [{ passGates: true }, ['Generated 1', 'Mine', 'The best price']],
  ])('with %j does that and no more', async (permissions, titles) => {
    await threeTexts();
    await bulk(permissions);
    expect([title(1), title(2), title(3)]).toEqual(titles);
  });
});

describe('the write after an approval of many', () => {
  it('decides again: an edit that came in between stays, and its field waits for review', async () => {
    const id = await deliverNewer(stages, { id: 1 });
    expect(await stages.approver.approve(id, NOTHING_MORE, PERSON)).toMatchObject({ outcome: 'decided' });
    stages.store.edit('1', { title: 'Mine' });
    await stages.writer.write(id);
    expect(title(1)).toBe('Mine');
    const [, left] = await stages.writeBacks.forProduct(snapshot(1).externalId);
    expect(left).toMatchObject({ state: 'pending_review', intended: [{ target: 'title' }] });
  });

  it('leaves to a person what a gate finds only then, also where gates block', async () => {
    const id = await deliverNewer(stages, { id: 1, name: 'A fine title' });
    await stages.approver.approve(id, NOTHING_MORE, PERSON);
    stages.settings = {
      store: { writeBack: { mode: 'review', gates: { forbid: ['fine'], onFail: 'block' } } },
      workspace: {},
    };
    await stages.writer.write(id);
    expect(await rowOf(id)).toMatchObject({ state: 'pending_review' });
    expect(title(1)).toBe('Product 1');
  });
});
