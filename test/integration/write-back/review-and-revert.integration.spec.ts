import { beforeEach, describe, expect, it } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, outcomesOf, writeNewer, type ResultOptions } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
});

const generated = (options?: ResultOptions) => deliverNewer(stages, options);

async function applied(options: ResultOptions = {}): Promise<string> {
  const id = await generated(options);
  expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  return id;
}

/** The name of the write-back's product on pages and in commands. */
async function nameOfProduct(id: string): Promise<string | undefined> {
  const row = await stages.writeBacks.get(id);
  return (await stages.links.get(row?.externalId ?? ''))?.label;
}

const stateOf = async (id: string) => (await stages.writeBacks.get(id))?.state;

describe('review', () => {
  beforeEach(() => {
    stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
  });

  it('writes nothing before the approval, and then also over an edit made since', async () => {
    const id = await generated();
    expect(await stages.writer.write(id)).toBeNull();
    stages.store.edit('1', { title: 'Mine' });
    expect(await stages.decisions.decide(id, 'approve', PERSON)).toBe('decided');
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect((await stages.writeBacks.get(id))?.fields[0]).toMatchObject({ before: 'Mine' });
  });
});

describe('a person’s decision', () => {
  it('releases a field that the merchant had edited', async () => {
    stages.store.edit('1', { title: 'Mine', descriptionHtml: '<p>Mine</p>' });
    const id = await generated();
    await stages.writer.write(id);
    expect(await stateOf(id)).toBe('conflicted');
    await stages.decisions.decide(id, 'approve', PERSON);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect(await applied({ name: 'Second' })).toBeDefined();
  });

  it.each(['approve', 'reject'] as const)('to %s what is applied changes nothing', async (decision) => {
    const id = await applied();
    expect(await stages.decisions.decide(id, decision, PERSON)).toBe('wrong_state');
    expect(await stages.decisions.decide('nonsense', decision, PERSON)).toBe('wrong_state');
    expect(await stateOf(id)).toBe('applied');
  });
});

describe('a revert', () => {
  it('restores what stood there, and the merchant’s text is the source as before', async () => {
    const id = await applied();
    expect(await nameOfProduct(id)).toBe('Generated 1');
    expect(await stages.reverter.revert(id, PERSON)).toMatchObject([
      { target: 'title', outcome: 'reverted' },
      { target: 'descriptionHtml', outcome: 'reverted' },
    ]);
    expect(await nameOfProduct(id)).toBe('Product 1');
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
    expect(await stateOf(id)).toBe('reverted');
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1, generationRequested: 0 });
  });

  it('removes metafields that were not there and restores those that were', async () => {
    stages.settings = {
      store: { writeBack: { sections: { namespace: 'catalog' }, onConflict: 'overwrite' } },
      workspace: {},
    };
    const mine = { namespace: 'catalog', key: 'material', type: 'single_line_text_field', value: 'Mine' };
    stages.store.edit('1', { metafields: [mine] });
    const sections = [
      { code: 'material', value: 'Leather' },
      { code: 'pieces', value: 3 },
    ];
    const id = await applied({ sections });
    expect(stages.store.metafield('1', 'material')).toBe('Leather');
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1').metafields).toEqual([mine]);
  });

  it('is done once', async () => {
    const id = await applied();
    const { reverter } = stages;
    const reverts = await Promise.allSettled([
      reverter.revert(id, PERSON),
      reverter.revert(id, PERSON),
      reverter.revert(id, PERSON),
    ]);
    expect(reverts.filter((revert) => revert.status === 'fulfilled')).toHaveLength(1);
    await expect(reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'conflict' });
    expect(stages.store.script.count('writeFields')).toBe(2);
  });

  it('that died between the store and the journal is finished by the next', async () => {
    const id = await applied();
    stages.store.script.after('writeFields', () => {
      throw new Error('died');
    });
    await expect(stages.reverter.revert(id, PERSON)).rejects.toThrow('died');
    expect(await stateOf(id)).toBe('applied');
    expect(await stages.reverter.revert(id, PERSON)).toMatchObject([
      { outcome: 'reverted' },
      { outcome: 'reverted' },
    ]);
    expect(await stateOf(id)).toBe('reverted');
    expect(stages.store.script.count('writeFields')).toBe(2);
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1 });
  });

  it('that fails half way has recorded what it restored, and the next one does the rest', async () => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
    const id = await applied({ sections: [{ code: 'material', value: 'Leather' }] });
    stages.store.script.before('removeMetafields', () => {
      throw new CodedError('transient', 'the store does not answer');
    });
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'transient' });
    expect(stages.store.at('1').title).toBe('Product 1');
    const row = (await stages.writeBacks.get(id))!;
    expect(row.state).toBe('applied');
    expect(outcomesOf(row)).toMatchObject({
      ...{ title: 'reverted', descriptionHtml: 'reverted', 'metafield:catalog.material': 'written' },
    });
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.metafield('1', 'material')).toBeUndefined();
    expect(await stateOf(id)).toBe('reverted');
  });

  it('that failed half way makes no conflict of the next result', async () => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
    const id = await applied({ sections: [{ code: 'material', value: 'Leather' }] });
    stages.store.script.before('removeMetafields', () => {
      throw new CodedError('transient', 'the store does not answer');
    });
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'transient' });
    const row = await writeNewer(stages, { name: 'Second', html: '<p>Second</p>' });
    expect(row.state).toBe('applied');
    expect(stages.store.at('1')).toMatchObject({ title: 'Second', descriptionHtml: '<p>Second</p>' });
  });

  it('restores what the store takes where it refuses a field, and says which', async () => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
    stages.store.edit('1', {
      metafields: [{ namespace: 'catalog', key: 'material', type: 'single_line_text_field', value: 'Old' }],
    });
    await stages.sync();
    stages.settings = {
      store: { writeBack: { sections: { namespace: 'catalog' }, onConflict: 'overwrite' } },
      workspace: {},
    };
    const id = await applied({ sections: [{ code: 'material', value: 'Leather' }] });
    stages.store.refusedKeys.add('material');
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining('metafield:catalog.material') },
    });
    expect(outcomesOf((await stages.writeBacks.get(id))!)).toMatchObject({
      ...{ title: 'reverted', 'metafield:catalog.material': 'written' },
    });
    stages.store.refusedKeys.clear();
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.metafield('1', 'material')).toBe('Old');
    expect(await stateOf(id)).toBe('reverted');
  });

  it('of the second write-back of a product makes no conflict of the next result', async () => {
    await applied({ name: 'First', html: '<p>First</p>' });
    const second = await applied({ name: 'Second', html: '<p>Second</p>' });
    await stages.reverter.revert(second, PERSON);
    expect(stages.store.at('1').title).toBe('First');
    const third = await writeNewer(stages, { name: 'Third', html: '<p>Third</p>' });
    expect(outcomesOf(third)).toEqual({ title: 'written', descriptionHtml: 'written' });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1, generationRequested: 0 });
  });

  it('without an answer from the store lets the one of an earlier write-back restore what stood before both', async () => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
    const first = await applied({ sections: [{ code: 'material', value: 'Oak' }] });
    const second = await applied({ sections: [{ code: 'material', value: 'Ash' }] });
    stages.store.script.after('writeMetafields', refusal('transient', { outcomeUnknown: true }));
    await expect(stages.reverter.revert(second, PERSON)).rejects.toMatchObject({ code: 'transient' });
    for (const id of [first, second]) await stages.reverter.revert(id, PERSON);
    expect(stages.store.metafield('1', 'material')).toBeUndefined();
  });

  it('of a text that later came again leaves each one after it to its own predecessor', async () => {
    const titles = ['First', 'Again', 'Third', 'Again', 'First'];
    const rows: string[] = [];
    for (const [at, name] of titles.entries())
      rows.push(await applied({ name, html: at === 0 ? '<p>First</p>' : '<p>Again</p>' }));
    const [first, again, third, repeated, last] = rows as [string, string, string, string, string];
    for (const id of [again, last, repeated, third, first]) await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('to a text that an applied write-back wrote makes no conflict of the next result', async () => {
    await applied({ name: 'First', html: '<p>First</p>' });
    const other = await applied({ name: 'Other', html: '<p>Second</p>' });
    const again = await applied({ name: 'First', html: '<p>Second</p>' });
    for (const id of [other, again]) await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1').title).toBe('First');
    expect(outcomesOf(await writeNewer(stages, { name: 'Last' }))).toMatchObject({ title: 'written' });
  });

  it('restores a field that an earlier write-back of the same content alone wrote', async () => {
    const first = await applied();
    stages.store.edit('1', { title: 'Product 1' });
    // The merchant took the title back, and the same content is generated again.
    const again = await writeNewer(stages, { taskId: 'again' });
    expect(again.id).not.toBe(first);
    if (again.state !== 'applied') {
      await stages.decisions.decide(again.id, 'approve', PERSON);
      await stages.writer.write(again.id);
    }
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect(await stateOf(first)).toBe('applied');
    expect(await stages.reverter.revert(first, PERSON)).toMatchObject([
      { target: 'title', outcome: 'not_ours' },
      { target: 'descriptionHtml', outcome: 'reverted' },
    ]);
    await stages.reverter.revert(again.id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it.each(['at once', 'after a revert that failed half way'])(
    'of an earlier write-back and then of the later one restores what stood before both, %s',
    async (how) => {
      stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
      const sections = [{ code: 'material', value: 'Leather' }];
      const first = await applied({ name: 'First', html: '<p>First</p>', sections });
      const second = await applied({ name: 'First', html: '<p>Second</p>', sections });
      const third = await applied({ name: 'First', html: '<p>Third</p>', sections });
      if (how !== 'at once') {
        stages.store.script.before('removeMetafields', () => {
          throw new CodedError('transient', 'the store does not answer');
        });
        await expect(stages.reverter.revert(first, PERSON)).rejects.toMatchObject({ code: 'transient' });
      }
      for (const id of [first, third, second]) await stages.reverter.revert(id, PERSON);
      expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
      expect((await stages.sync()).counts).toMatchObject({ unchanged: 1, generationRequested: 0 });
    },
  );

  it('of three results, the last with the content of the first, restores what stood before them', async () => {
    const ids: string[] = [];
    for (const name of ['First', 'Second', 'First'])
      ids.push(await applied({ name, html: `<p>${name}</p>` }));
    for (const id of ids.toReversed()) await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('leaves alone a text that a later write-back wrote again after another', async () => {
    const first = await applied({ name: 'First', html: '<p>First</p>' });
    const second = await applied({ name: 'Second', html: '<p>Second</p>' });
    const third = await applied({ name: 'First', html: '<p>Third</p>' });
    await expect(stages.reverter.revert(first, PERSON)).rejects.toMatchObject({ code: 'conflict' });
    expect(stages.store.at('1')).toMatchObject({ title: 'First', descriptionHtml: '<p>Third</p>' });
    for (const id of [third, second, first]) await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('lets the same content be applied again by a later result', async () => {
    const id = await applied();
    await stages.reverter.revert(id, PERSON);
    await applied();
    expect(stages.store.at('1').title).toBe('Generated 1');
  });

  it('waits for nobody: a product that is being written is refused', async () => {
    const id = await applied();
    await stages.links.takeForWriting(snapshot(1).externalId, 'somebody');
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('under way'),
    });
  });

  it.each([
    ['an unknown write-back', async () => 'nonsense', 'not_found'],
    ['one that is not applied', () => generated(), 'conflict'],
  ])('of %s is refused', async (_what, make, code) => {
    await expect(stages.reverter.revert(await make(), PERSON)).rejects.toMatchObject({ code });
  });

  it('of a product that is gone is refused', async () => {
    const id = await applied();
    stages.store.products.clear();
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'not_found' });
  });
});
