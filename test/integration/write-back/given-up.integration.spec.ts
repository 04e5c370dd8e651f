import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IntendedValue } from '../../../src/domain/write-back-journal.js';
import { editedValue } from '../../../src/planner/edited-value.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, type ResultOptions } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
  stages.store.put(snapshot(1));
  await stages.sync();
});

const SECTIONS = [{ code: 'material', value: 'Leather' }];
const ATTEMPTS = 8;
const generated = (options?: ResultOptions) => deliverNewer(stages, { sections: SECTIONS, ...options });

async function attempts(id: string, count = ATTEMPTS): Promise<void> {
  for (let attempt = 0; attempt < count; attempt += 1) await stages.writer.write(id);
}

const outcomes = async (id: string) =>
  Object.fromEntries(
    (await stages.writeBacks.get(id))!.fields.map(({ target, outcome }) => [target, outcome]),
  );

describe('a write-back that is given up after it wrote some fields', () => {
  it('is journalled as applied, with the failed fields and the before-images, and can be reverted', async () => {
    const id = await generated();
    stages.store.script.before('writeMetafields', refusal('transient'), ATTEMPTS);
    await attempts(id);
    expect(await stages.writeBacks.get(id)).toMatchObject({
      state: 'applied',
      reason: expect.stringContaining('given up: the catalog says transient'),
      fields: [
        { target: 'title', outcome: 'written', before: 'Product 1', after: 'Generated 1' },
        { target: 'descriptionHtml', outcome: 'written', before: '<p>Source 1</p>' },
        { target: 'metafield:catalog.material', outcome: 'failed' },
      ],
    });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1 });
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('says so also where the store cannot be read any more', async () => {
    const id = await generated();
    stages.store.script.before('writeMetafields', refusal('transient'));
    await attempts(id, 1);
    stages.store.script.before('readLive', refusal('transient'), ATTEMPTS);
    await attempts(id);
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'applied' });
    expect(await outcomes(id)).toEqual({
      title: 'written',
      descriptionHtml: 'written',
      'metafield:catalog.material': 'failed',
    });
    stages.store.script.reset();
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1').title).toBe('Product 1');
  });

  it('finds what landed although its answer was lost', async () => {
    const id = await generated();
    stages.store.script.after('writeFields', refusal('transient', { outcomeUnknown: true }));
    stages.store.script.before('writeMetafields', refusal('invalid'), ATTEMPTS);
    await attempts(id, 2);
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'applied' });
    expect(await outcomes(id)).toMatchObject({ title: 'written', 'metafield:catalog.material': 'failed' });
  });

  it('is known to the next result: what an unanswered write left is not taken for the merchant’s', async () => {
    const id = await generated();
    stages.store.script.before('writeMetafields', refusal('transient'));
    await attempts(id, 1);
    stages.store.script.after('writeMetafields', refusal('transient', { outcomeUnknown: true }));
    stages.store.script.before('readLive', () => undefined);
    stages.store.script.before('readLive', refusal('transient'), ATTEMPTS);
    await attempts(id, ATTEMPTS);
    expect(await outcomes(id)).toMatchObject({ 'metafield:catalog.material': 'failed' });
    expect(stages.store.metafield('1', 'material')).toBe('Leather');
    stages.store.script.reset();
    const newer = await generated({ name: 'Newer', sections: [{ code: 'material', value: 'Suede' }] });
    await attempts(newer, 1);
    expect(await outcomes(newer)).toMatchObject({ 'metafield:catalog.material': 'written' });
  });

  it('gives back with a revert what landed without an answer', async () => {
    const id = await generated();
    stages.store.script.after('writeMetafields', refusal('transient', { outcomeUnknown: true }));
    await attempts(id, 1);
    stages.store.script.before('readLive', refusal('transient'), ATTEMPTS);
    await attempts(id);
    stages.store.script.reset();
    expect(stages.store.metafield('1', 'material')).toBe('Leather');
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.metafield('1', 'material')).toBeUndefined();
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'reverted' });
  });
});

describe('a write-back that is given up before it wrote anything', () => {
  it('is failed, with every field and its before-image', async () => {
    const id = await generated();
    stages.store.script.before('writeFields', refusal('transient'), ATTEMPTS);
    await attempts(id, ATTEMPTS - 1);
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'ready', attempts: ATTEMPTS - 1 });
    await attempts(id, 1);
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'failed' });
    expect(await outcomes(id)).toEqual({
      title: 'failed',
      descriptionHtml: 'failed',
      'metafield:catalog.material': 'failed',
    });
  });
});

describe('a text whose write had no answer', () => {
  const givenUp = async (): Promise<string> => {
    const id = await generated({ sections: [] });
    stages.store.script.after('writeFields', refusal('transient', { outcomeUnknown: true }));
    await attempts(id, 1);
    stages.store.script.before('readLive', refusal('transient'), ATTEMPTS);
    await attempts(id);
    stages.store.script.reset();
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'failed' });
    expect(stages.store.at('1').title).toBe('Generated 1');
    return id;
  };

  it('is replaced by what a person makes of it, and a revert restores what stood before either', async () => {
    const id = await givenUp();
    const edited = (old: IntendedValue) => editedValue(old, 'By a person');
    expect(await stages.decisions.edit(id, { target: 'title', edited }, PERSON)).toBe('edited');
    await stages.decisions.decide(id, 'approve', PERSON);
    await attempts(id, 1);
    expect(stages.store.at('1').title).toBe('By a person');
    expect(await outcomes(id)).toEqual({ title: 'written', descriptionHtml: 'written' });
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('is no text of the merchant to the next result, also when a person rejects it', async () => {
    const id = await givenUp();
    await stages.decisions.decide(id, 'reject', PERSON);
    const newer = await generated({ name: 'Newer', html: '<p>Newer</p>', sections: [] });
    await attempts(newer, 1);
    expect(await outcomes(newer)).toEqual({ title: 'written', descriptionHtml: 'written' });
  });

  it('can be reverted also when the person declines it', async () => {
    const id = await givenUp();
    await stages.decisions.decide(id, 'approve', { ...PERSON, only: ['descriptionHtml'] });
    await attempts(id, 1);
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });
});

describe('an approval of an older result', () => {
  it('is refused while a newer one stands, and allowed once that is rejected or reverted', async () => {
    stages.store.edit('1', { title: 'Mine', descriptionHtml: '<p>Mine</p>' });
    const older = await generated({ sections: [] });
    await attempts(older, 1);
    expect(await stages.writeBacks.get(older)).toMatchObject({ state: 'conflicted' });
    stages.settings = { store: { writeBack: { onConflict: 'overwrite' } }, workspace: {} };
    const newer = await generated({ name: 'Newer', sections: [] });
    expect(await stages.decisions.decide(older, 'approve', PERSON)).toBe('newer_result');
    await attempts(newer, 1);
    expect(await stages.decisions.decide(older, 'approve', PERSON)).toBe('newer_result');
    expect(stages.store.at('1').title).toBe('Newer');
    await stages.reverter.revert(newer, PERSON);
    expect(await stages.decisions.decide(older, 'approve', PERSON)).toBe('decided');
    await attempts(older, 1);
    expect(stages.store.at('1').title).toBe('Generated 1');
  });

  it('names the state, not the newer result, when it could not be approved anyway', async () => {
    stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
    const older = await generated({ sections: [] });
    await generated({ name: 'Newer', sections: [] });
    expect(await stages.decisions.decide(older, 'approve', PERSON)).toBe('wrong_state');
    expect(await stages.decisions.decide(older, 'reject', PERSON)).toBe('wrong_state');
  });
});
