import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onKillPoint, type KillPoint } from '../../../src/runtime/kill-point.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import {
  deliverNewer,
  deliverResult,
  writeAll,
  writeNewer,
  type ResultOptions,
} from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
});
afterEach(() => {
  onKillPoint(null);
});

const generated = (options?: ResultOptions) => deliverResult(stages, options);

/** The writer's process dies at this point, and its lease on the product expires. */
async function diesAt(point: KillPoint, id: string): Promise<void> {
  onKillPoint((reached) => {
    if (reached === point) throw new Error('died');
  });
  await expect(stages.writer.write(id)).rejects.toThrow('died');
  onKillPoint(null);
  await stages.db.affected(`UPDATE store_product SET write_lease_until = now() - interval '1 second'`);
}

describe('a writer that dies', () => {
  const points: KillPoint[] = [
    'write-back.taken',
    'write-back.started',
    'write-back.written',
    'write-back.journaled',
  ];

  it.each(points)('at %s is followed by one that finishes, and the store is written once', async (point) => {
    const id = await generated();
    await diesAt(point, id);
    await stages.writer.write(id);
    const row = await stages.writeBacks.get(id);
    expect(row).toMatchObject({ state: 'applied' });
    expect(row?.fields).toMatchObject([
      { target: 'title', outcome: 'written', before: 'Product 1', after: 'Generated 1' },
      { target: 'descriptionHtml', outcome: 'written', before: '<p>Source 1</p>' },
    ]);
    expect(stages.store.script.count('writeFields')).toBe(1);
    expect((await stages.link(1)).written?.['title']).toMatchObject({ replaced: 'Product 1' });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1, generationRequested: 0 });
  });

  it('after the write is finished in the store’s own spelling', async () => {
    stages.store.normalises = (field, value) =>
      field === 'title' ? value : value.replaceAll('<p>', '<p >').replace('&amp;', '&#38;');
    const id = await generated({ html: '<p>Fish &amp; chips</p>' });
    await diesAt('write-back.written', id);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.script.count('writeFields')).toBe(1);
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1 });
  });

  it('does not lead the next one to overwrite an edit made meanwhile', async () => {
    const id = await generated();
    await diesAt('write-back.started', id);
    stages.store.edit('1', { title: 'Mine' });
    await stages.writer.write(id);
    expect(await stages.writeBacks.get(id)).toMatchObject({
      state: 'applied',
      fields: [{ target: 'title', outcome: 'conflict' }, { outcome: 'written' }],
    });
    expect(stages.store.at('1').title).toBe('Mine');
  });

  it('after the write leaves what is known as ours to the newer result that came meanwhile', async () => {
    const id = await generated();
    await diesAt('write-back.written', id);
    const createdAt = new Date(Date.now() + 3_600_000);
    const newer = await generated({ taskId: 'newer', name: 'Newer', html: '<p>Newer</p>', createdAt });
    await stages.writer.write(newer);
    expect(await stages.writeBacks.get(newer)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1').title).toBe('Newer');
    expect((await stages.link(1)).written?.['title']).toMatchObject({ replaced: 'Product 1' });
    await writeAll(stages);
    expect(stages.store.at('1').title).toBe('Newer');
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1 });
  });

  it.each([
    ['that one', 'failed'],
    ['a newer result', 'skipped'],
  ])(
    'of a product that is gone when %s is to be written keeps what was sent as ours',
    async (next, state) => {
      const id = await generated();
      await diesAt('write-back.started', id);
      const sent = { title: 'Generated 1', descriptionHtml: '<p>Generated 1</p>' };
      const shown = { ...stages.store.at('1'), ...sent };
      stages.store.products.delete('1');
      const resumed = next === 'that one' ? id : await deliverNewer(stages, { name: 'Newer' });
      expect(await stages.writer.write(resumed)).toMatchObject({ state });
      stages.store.put(shown);
      expect((await stages.sync()).counts).toMatchObject({ unchanged: 1 });
      expect((await stages.writeBacks.get(id))?.fields).toMatchObject([
        { target: 'title', before: 'Product 1', unanswered: true },
        { target: 'descriptionHtml', before: '<p>Source 1</p>', unanswered: true },
      ]);
    },
  );

  it('after the write of a variant’s text makes no conflict of a newer result of that variant', async () => {
    const model = modelSnapshot(3);
    const [small] = model.variants;
    stages.settings = { store: { writeBack: { variants: { description: 'custom.text' } } }, workspace: {} };
    stages.store.put(model);
    stages.store.variantDefinitions.set('custom.text', {
      ...{ namespace: 'custom', key: 'text', type: 'multi_line_text_field', validations: [] },
    });
    await stages.sync();
    const { catalogId, variantLinks } = await stages.link(3);
    const variant = (description: string) => ({
      ...{ id: Number(variantLinks[small!.externalId]), external_id: small!.externalId, description },
    });
    const product = { id: Number(catalogId), external_id: model.externalId, variants: [variant('First')] };
    const first = await deliverNewer(stages, { id: 3, product });
    await diesAt('write-back.started', first);
    const field = { namespace: 'custom', key: 'text', type: 'multi_line_text_field', value: 'First' };
    const variants = stages.store
      .at('3')
      .variants.map((each) => (each.storeId === small!.storeId ? { ...each, metafields: [field] } : each));
    stages.store.edit('3', { variants });
    const newer = await deliverNewer(stages, { id: 3, product: variant('Second') });
    await stages.db.affected('UPDATE write_back SET next_attempt_at = now()');
    for (const id of [first, newer]) await stages.writer.write(id);
    expect(await stages.writeBacks.get(newer)).toMatchObject({ state: 'applied' });
  });

  it('again and again on one write-back ends it, and a person may approve it', async () => {
    const id = await generated();
    for (let death = 0; death < 10; death += 1) {
      await diesAt('write-back.started', id);
      await stages.db.affected('UPDATE write_back SET next_attempt_at = now()');
    }
    expect(await stages.writer.write(id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('never ended'),
    });
    expect(await stages.decisions.decide(id, 'approve', PERSON)).toBe('decided');
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });
});

describe('a fault between fields and metafields', () => {
  beforeEach(() => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
  });

  it('keeps what got through, and the next attempt sends the rest', async () => {
    const id = await generated({ sections: [{ code: 'material', value: 'Leather' }] });
    stages.store.script.before('writeMetafields', refusal('transient'));
    expect(await stages.writer.write(id)).toMatchObject({ state: 'postponed' });
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.script.count('writeFields')).toBe(1);
    expect(stages.store.metafield('1', 'material')).toBe('Leather');
    expect((await stages.writeBacks.get(id))?.fields).toMatchObject([
      { target: 'title', outcome: 'written', before: 'Product 1' },
      { target: 'descriptionHtml', outcome: 'written', before: '<p>Source 1</p>' },
      { target: 'metafield:catalog.material', outcome: 'written', before: null },
    ]);
  });

  it('together with a lost answer does not make a metafield somebody else’s', async () => {
    const id = await generated({ sections: [{ code: 'material', value: 'Leather' }] });
    stages.store.script.after('writeMetafields', refusal('transient', { outcomeUnknown: true }));
    await stages.writer.write(id);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.script.count('writeMetafields')).toBe(1);
  });
});

describe('a revert beside a later write-back that was cut off', () => {
  const material = (value: string) => ({ sections: [{ code: 'material', value }] });
  const newer = (options: ResultOptions) => deliverNewer(stages, options);
  const applied = async (options: ResultOptions): Promise<string> => (await writeNewer(stages, options)).id;

  beforeEach(() => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
  });

  it('lets that one restore what stood before both, where it had replaced a text', async () => {
    const first = await applied({ name: 'First' });
    const second = await newer({ name: 'Second', ...material('Oak') });
    stages.store.script.before('writeMetafields', refusal('transient'));
    await stages.writer.write(second);
    expect(stages.store.at('1').title).toBe('Second');
    await stages.reverter.revert(first, PERSON);
    await stages.writer.write(second);
    await stages.reverter.revert(second, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('lets that one restore the same, where it was about to write what the revert restores', async () => {
    const first = await applied(material('Leather'));
    const second = await applied(material('Oak'));
    const third = await newer({ name: 'Third', ...material('Leather') });
    await diesAt('write-back.started', third);
    await stages.reverter.revert(second, PERSON);
    await stages.db.affected('UPDATE write_back SET next_attempt_at = now()');
    await stages.writer.write(third);
    for (const id of [third, first]) await stages.reverter.revert(id, PERSON);
    expect(stages.store.metafield('1', 'material')).toBeUndefined();
    expect(stages.store.at('1').title).toBe('Product 1');
  });
});
