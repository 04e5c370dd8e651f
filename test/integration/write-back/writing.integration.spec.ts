import { beforeEach, describe, expect, it } from '@jest/globals';
import { Gate } from '../../support/call-script.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { deliverNewer, outcomesOf, writeAll, writeNewer, type ResultOptions } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';
import { sqlRow } from '../../support/sql.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
  stages.store.script.forget();
});

const ours = snapshot(1).externalId;
const SECTIONS = { writeBack: { sections: { namespace: 'catalog' } } };
const generated = (options?: ResultOptions) => deliverNewer(stages, options);
const written = (options?: ResultOptions) => writeNewer(stages, options);

const edits = (changes: Parameters<Stages['store']['edit']>[1]) => stages.store.edit('1', changes);

describe('generated content', () => {
  it('is written in one call, with the values before and after in the journal', async () => {
    const row = await written();
    expect(row).toMatchObject({ state: 'applied', reason: '2 fields written', attempts: 1 });
    expect(row.fields).toMatchObject([
      { target: 'title', outcome: 'written', before: 'Product 1', after: 'Generated 1' },
      { target: 'descriptionHtml', before: '<p>Source 1</p>', after: '<p>Generated 1</p>' },
    ]);
    expect(stages.store.at('1')).toMatchObject({
      title: 'Generated 1',
      descriptionHtml: '<p>Generated 1</p>',
    });
    expect(stages.store.script.operations()).toEqual(['readLive', 'writeFields']);
  });

  it('is decided without the search engine texts, which cost extra, unless some are meant or may have been left', async () => {
    const read = () => {
      const last = stages.store.script.calls.findLast(({ operation }) => operation === 'readLive');
      return (last?.args[1] as string[]).includes('seo.title');
    };
    await written();
    expect(read()).toBe(false);
    const fields = { name: 'seo.title', html_description: 'descriptionHtml' };
    stages.settings = { store: { writeBack: { fields } }, workspace: {} };
    stages.store.script.before('writeFields', refusal('transient'), 8);
    const meant = await written({ name: 'Found' });
    expect(read()).toBe(true);
    for (let attempt = 0; attempt < 9; attempt += 1) await stages.writer.write(meant.id);
    expect(await stages.writeBacks.get(meant.id)).toMatchObject({ state: 'failed' });
    stages.store.script.forget();
    stages.settings = { store: {}, workspace: {} };
    expect(await written({ name: 'Title again' })).toMatchObject({ state: 'applied' });
    expect(read()).toBe(true);
  });

  it('waits while writeBack.mode is off, also if it came before', async () => {
    const id = await generated();
    stages.settings = { store: { writeBack: { mode: 'off' } }, workspace: {} };
    expect(await stages.writer.write(id)).toMatchObject({
      ...{ state: 'postponed', reason: 'writeBack.mode is off' },
    });
    expect(stages.store.at('1').title).toBe('Product 1');
    stages.settings = { store: {}, workspace: {} };
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });

  it('waits for an approval where writeBack.mode is review, also if it came before', async () => {
    const id = await generated();
    stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
    expect(await stages.writer.write(id)).toMatchObject({
      ...{ state: 'pending_review', reason: 'writeBack.mode is review' },
    });
    expect(stages.store.at('1').title).toBe('Product 1');
    await stages.decisions.decide(id, 'approve', PERSON);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });

  it('counts as ours in the store’s own spelling', async () => {
    stages.store.normalises = (field, value) => (field === 'title' ? value : `${value}\n`);
    const row = await written();
    expect(row.fields[1]).toMatchObject({ after: '<p>Generated 1</p>\n' });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1 });
    expect(await written({ html: '<p>Second</p>' })).toMatchObject({ state: 'applied' });
  });

  it('is sent as little as possible', async () => {
    edits({ title: 'Generated 1' });
    const row = await written();
    expect(outcomesOf(row)).toEqual({ title: 'same', descriptionHtml: 'written' });
    expect(stages.store.script.calls[1]?.args[1]).toEqual({ descriptionHtml: '<p>Generated 1</p>' });
  });

  it('that equals the text sent to the catalog was not generated', async () => {
    const row = await written({ name: 'Product 1', html: '<p>Source 1</p>' });
    expect(row).toMatchObject({ state: 'skipped' });
    edits({ title: 'Edited' });
    expect(outcomesOf(await written({ name: 'Product 1', html: '<p>New text</p>' }))).toEqual({
      title: 'not_generated',
      descriptionHtml: 'written',
    });
  });

  it('does not come back as the merchant’s own: it is neither pushed nor generated from', async () => {
    await written();
    const { sourceFingerprint } = await stages.link(1);
    stages.catalog.script.forget();
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 1, generationRequested: 0 } });
    // A full run reads the listing, and sends nothing.
    expect(stages.catalog.script.calls.map(({ operation }) => operation)).toEqual(['listProducts']);
    expect((await stages.link(1)).sourceFingerprint).toBe(sourceFingerprint);
  });

  it('applied once is not applied by another result of the same content', async () => {
    await written();
    expect(await written()).toMatchObject({ state: 'skipped' });
    expect(stages.store.script.count('writeFields')).toBe(1);
  });
});

describe('a merchant’s edit', () => {
  it('made since the content was asked for is kept, and the other fields are written', async () => {
    const id = await generated();
    edits({ title: 'Mine' });
    await stages.writer.write(id);
    const row = (await stages.writeBacks.get(id))!;
    expect(row).toMatchObject({ state: 'applied', reason: expect.stringContaining('left to the merchant') });
    expect(outcomesOf(row)).toEqual({ title: 'conflict', descriptionHtml: 'written' });
    expect(stages.store.at('1').title).toBe('Mine');
  });

  it('of what we wrote stays the merchant’s, also when a run has pushed it', async () => {
    await written();
    edits({ title: 'Mine' });
    expect((await stages.sync()).counts).toMatchObject({ updated: 1 });
    expect(outcomesOf(await written({ name: 'Second', html: '<p>Second</p>' }))).toEqual({
      ...{ title: 'conflict', descriptionHtml: 'written' },
    });
    expect(stages.store.at('1').title).toBe('Mine');
  });
});

describe('a product that is gone', () => {
  it('is skipped with that reason', async () => {
    const id = await generated();
    stages.store.products.clear();
    expect(await stages.writer.write(id)).toMatchObject({
      state: 'skipped',
      reason: 'the product was deleted in the store',
    });
  });

  it('half way through a write keeps what was written in the journal, and a revert restores it when it is back', async () => {
    stages.settings = { store: SECTIONS, workspace: {} };
    stages.store.script.before('writeMetafields', refusal('transient'));
    const id = await generated({ sections: [{ code: 'material', value: 'Leather' }] });
    await stages.writer.write(id);
    const shown = stages.store.at('1');
    stages.store.products.clear();
    expect(await stages.writer.write(id)).toMatchObject({
      state: 'applied',
      reason: expect.stringContaining('the product was deleted in the store'),
    });
    stages.store.put(shown);
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('gets the newest result when it comes back, and keeps what the merchant changed', async () => {
    stages.store.put(snapshot(2));
    const skipped = await generated();
    stages.store.products.delete('1');
    await stages.sync({ force: true });
    await stages.writer.write(skipped);
    expect(await stages.writeBacks.get(skipped)).toMatchObject({ state: 'skipped' });
    stages.store.put(snapshot(1, { title: 'Renamed' }));
    await stages.sync();
    await writeAll(stages);
    const rows = await stages.writeBacks.forProduct(ours);
    expect(rows.map(({ state }) => state)).toEqual(['skipped', 'applied']);
    expect(outcomesOf(rows[1]!)).toEqual({ title: 'conflict', descriptionHtml: 'written' });
    expect(stages.store.at('1')).toMatchObject({ title: 'Renamed', descriptionHtml: '<p>Generated 1</p>' });
    await stages.sync();
    expect(await stages.writeBacks.forProduct(ours)).toHaveLength(2);
  });

  it('gets a text that was approved when it comes back, without another approval', async () => {
    stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
    stages.store.put(snapshot(2));
    const id = await generated();
    await stages.decisions.decide(id, 'approve', { ...PERSON, overwriteEdits: false, passGates: false });
    stages.store.products.delete('1');
    await stages.sync({ force: true });
    await stages.writer.write(id);
    stages.store.put(snapshot(1));
    await stages.sync();
    await writeAll(stages);
    expect(stages.store.at('1').title).toBe('Generated 1');
  });

  it('gets all that came for it and its variants when it comes back, the newer value for each field', async () => {
    const model = modelSnapshot(3);
    const [variant] = model.variants;
    stages.settings = {
      store: { writeBack: { ...SECTIONS.writeBack, variants: { description: 'custom.text' } } },
      workspace: {},
    };
    stages.store.put(model, snapshot(2));
    await stages.sync();
    stages.store.products.delete('3');
    await stages.sync({ force: true });
    const came = async (options: ResultOptions) =>
      stages.writer.write(await deliverNewer(stages, { id: 3, ...options }));
    await came({ name: 'First', html: '<p>First</p>', sections: [{ code: 'material', value: 'Oak' }] });
    await came({ name: 'Second', html: '' });
    await came({
      product: {
        id: Number((await stages.link(3)).variantLinks[variant!.externalId]),
        external_id: variant!.externalId,
        description: 'Of the variant',
      },
    });
    stages.store.put(model);
    await stages.sync();
    await writeAll(stages);
    expect(stages.store.at('3')).toMatchObject({ title: 'Second', descriptionHtml: '<p>First</p>' });
    expect(stages.store.metafield('3', 'material')).toBe('Oak');
    const back = (await stages.writeBacks.forProduct(model.externalId)).slice(3);
    expect(new Set(back.map((row) => row.variant))).toEqual(new Set([null, variant!.externalId]));
    expect(back.every(({ fields }) => fields.length > 0)).toBe(true);
    await stages.sync();
    expect(await stages.writeBacks.forProduct(model.externalId)).toHaveLength(5);
  });

  it('between the read and the write is skipped as well', async () => {
    stages.store.script.before('writeFields', () => {
      stages.store.products.clear();
    });
    expect(await written()).toMatchObject({
      ...{ state: 'skipped', reason: 'the product was deleted in the store' },
    });
  });
});

describe('a store that refuses', () => {
  it('a value is answered with a failure that says why, and the other fields and the metafields go on', async () => {
    stages.settings = { store: SECTIONS, workspace: {} };
    const refused = refusal('invalid', { fields: { title: ['is too long'] } });
    stages.store.script.before('writeFields', refused, 2);
    const row = await written({ sections: [{ code: 'material', value: 'Leather' }] });
    expect(row).toMatchObject({ state: 'applied', reason: expect.stringContaining('is too long') });
    expect(outcomesOf(row)).toMatchObject({ title: 'failed', descriptionHtml: 'written' });
    expect(stages.store.metafield('1', 'material')).toBe('Leather');
    stages.store.script.before('writeFields', refused, 3);
    expect(await written({ name: 'Next', html: '<p>Next</p>' })).toMatchObject({ state: 'failed' });
  });

  it('for a passing reason is asked again later each time, and given up in the end', async () => {
    const id = await generated();
    stages.store.script.before('readLive', refusal('transient'), 8);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const result = await stages.writer.write(id);
      if (result?.state !== 'postponed') break;
      waits.push(await waitOf(id));
    }
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'failed' });
    expect(waits).toEqual([750, 3_750, 22_500, 90_000, 450_000, 1_350_000, 5_400_000]);
  });

  it('for a passing reason in the middle of writing is counted as one attempt', async () => {
    const id = await generated();
    stages.store.script.before('writeFields', refusal('transient'), 8);
    let attempts = 0;
    while ((await stages.writer.write(id))?.state === 'postponed') attempts += 1;
    expect(attempts).toBe(7);
    expect(stages.store.at('1').title).toBe('Product 1');
  });

  it('because we are too fast is left alone as long as it asks', async () => {
    stages.store.script.before('writeFields', refusal('throttled', { retryAfterMs: 60_000 }));
    const row = await written();
    expect(row).toMatchObject({ state: 'ready' });
    expect(await waitOf(row.id)).toBe(60_000);
  });

  it('our settings waits for people', async () => {
    const id = await generated();
    stages.store.script.before('readLive', refusal('misconfigured'), 9);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      expect(await stages.writer.write(id)).toMatchObject({ state: 'postponed' });
      expect(await waitOf(id)).toBe(300_000);
    }
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });

  it('our credentials waits until the store’s pause is over, any number of times', async () => {
    const id = await generated();
    stages.store.script.before('readLive', refusal('auth'), 9);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await stages.db.affected('UPDATE store_state SET paused_until = now()');
      expect(await stages.writer.write(id)).toMatchObject({ state: 'postponed' });
      waits.push(await waitOf(id));
    }
    expect(waits.slice(0, 3)).toEqual([30_000, 60_000, 120_000]);
    expect(waits.at(-1)).toBe(1_800_000);
    await stages.db.affected('UPDATE store_state SET paused_until = now()');
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });
});

async function waitOf(id: string): Promise<number> {
  const row = await sqlRow<{ waitMs: number }>(
    stages.db,
    `SELECT (extract(epoch FROM next_attempt_at - now()) * 1000)::double precision AS wait_ms FROM write_back WHERE id = $1`,
    [id],
  );
  return Math.round((row?.waitMs ?? 0) / 750) * 750;
}

describe('custom attributes', () => {
  beforeEach(() => {
    stages.settings = { store: SECTIONS, workspace: {} };
  });
  const sections = [
    { code: 'material', value: 'Leather' },
    { code: 'pieces', value: 3 },
    { code: 'colours', value: ['red', 'blue'] },
  ];

  it('that change between read and write are a conflict, whoever wrote them first', async () => {
    await written({ sections });
    stages.store.beforeMetafields = () => {
      const others = stages.store.at('1').metafields.filter((field) => field.key !== 'material');
      edits({
        metafields: [
          ...others,
          { namespace: 'catalog', key: 'material', type: 'single_line_text_field', value: 'Mine' },
        ],
      });
    };
    const row = await written({
      sections: [
        { code: 'material', value: 'Suede' },
        { code: 'pieces', value: 4 },
      ],
    });
    expect(outcomesOf(row)).toMatchObject({
      ...{ 'metafield:catalog.material': 'conflict', 'metafield:catalog.pieces': 'written' },
    });
    expect(stages.store.metafield('1', 'material')).toBe('Mine');
  });

  it('of which the store refuses one are written except that one', async () => {
    stages.store.refusedKeys.add('pieces');
    const row = await written({ sections });
    expect(row).toMatchObject({ state: 'applied', reason: expect.stringContaining('type is wrong') });
    expect(outcomesOf(row)).toMatchObject({
      ...{ 'metafield:catalog.pieces': 'failed', 'metafield:catalog.colours': 'written' },
    });
  });
});

describe('one product', () => {
  it('is written by one of twenty workers', async () => {
    const id = await generated();
    const { writer } = stages;
    const results = await Promise.all(Array.from({ length: 20 }, () => writer.write(id)));
    expect(results.filter((result) => result?.state === 'applied')).toHaveLength(1);
    expect(stages.store.script.count('writeFields')).toBe(1);
  });

  it('is not written by a second write-back while the first is under way', async () => {
    const first = await generated();
    const gate = new Gate();
    stages.store.script.after('writeFields', gate.hold);
    const writing = stages.writer.write(first);
    await gate.reached;
    const second = await generated({ name: 'Second', html: '<p>Second</p>' });
    expect(await stages.writer.write(second)).toBeNull();
    expect(await stages.writeBacks.get(second)).toMatchObject({
      state: 'ready',
      reason: 'another write-back of the same product is under way',
    });
    gate.open();
    await writing;
    await writeAll(stages);
    expect(stages.store.at('1').title).toBe('Second');
    expect((await stages.link(1)).written?.['title']).toMatchObject({ replaced: 'Product 1' });
    expect((await stages.writeBacks.forProduct(ours)).map((row) => row.state)).toEqual([
      'applied',
      'applied',
    ]);
  });
});
