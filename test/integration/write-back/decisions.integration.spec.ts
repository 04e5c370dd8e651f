import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RowWorkPort } from '../../../src/operations/row-work.js';
import { WriteBackOperations } from '../../../src/operations/write-backs.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { valueHash } from '../../../src/domain/written-content.js';
import { editedValue } from '../../../src/planner/edited-value.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, type ResultOptions } from '../../support/results.js';
import { PERSON, Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
  stages.store.put(snapshot(1));
  await stages.sync();
});

const generated = (options?: ResultOptions) => deliverNewer(stages, options);

const rowOf = async (id: string) => (await stages.writeBacks.get(id))!;
const approve = (id: string, only?: readonly string[]) =>
  stages.decisions.decide(id, 'approve', { ...PERSON, only });
const undo = (id: string) => stages.decisions.undo(id, PERSON);
const edit = (id: string, target: string, text: string, version?: number) =>
  stages.decisions.edit(id, { target, version, edited: (old) => editedValue(old, text) }, PERSON);

describe('taking a decision back', () => {
  it('of an approval before it is written puts the row back to review, and nothing is written', async () => {
    const id = await generated();
    await approve(id);
    expect(await undo(id)).toBe('decided');
    expect(await stages.writer.write(id)).toBeNull();
    expect(await rowOf(id)).toMatchObject({
      state: 'pending_review',
      overwriteEdits: false,
      passGates: false,
      decidedBy: 'somebody',
    });
    expect(stages.store.script.count('writeFields')).toBe(0);
  });

  it('leaves the next approval its whole time, whatever jobs the first one has left', async () => {
    const id = await generated();
    const delayed = { ...PERSON, delayMs: 60_000 };
    await stages.decisions.decide(id, 'approve', delayed);
    await undo(id);
    await stages.decisions.decide(id, 'approve', delayed);
    expect(await stages.writer.write(id)).toBeNull();
    expect(await undo(id)).toBe('decided');
  });

  it('of an approval of some fields restores all of them', async () => {
    const id = await generated();
    await approve(id, ['title']);
    expect((await rowOf(id)).intended.map(({ target }) => target)).toEqual(['title']);
    await undo(id);
    expect((await rowOf(id)).intended.map(({ target }) => target)).toEqual(['title', 'descriptionHtml']);
    expect(await rowOf(id)).toMatchObject({ declined: [] });
  });

  it('of a rejection puts the row back to review', async () => {
    const id = await generated();
    await stages.decisions.decide(id, 'reject', { ...PERSON, reason: 'wrong tone' });
    expect(await rowOf(id)).toMatchObject({ state: 'rejected', reason: 'rejected: wrong tone' });
    expect(await stages.writer.write(id)).toBeNull();
    expect(await approve(id)).toBe('wrong_state');
    expect(await undo(id)).toBe('decided');
    expect(await approve(id)).toBe('decided');
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });

  it('is refused while a worker has the product, and after it was written', async () => {
    const id = await generated();
    await approve(id);
    await stages.links.takeForWriting(snapshot(1).externalId, 'a worker');
    expect(await undo(id)).toBe('being_written');
    await stages.links.releaseFromWriting(snapshot(1).externalId, 'a worker');
    await stages.writer.write(id);
    expect(await undo(id)).toBe('wrong_state');
    expect((await rowOf(id)).state).toBe('applied');
  });

  it('takes the product from a worker whose lease ran out: it sends nothing afterwards', async () => {
    const id = await generated();
    await approve(id);
    await stages.links.takeForWriting(snapshot(1).externalId, 'a slow worker');
    await stages.db.affected(`UPDATE store_product SET write_lease_until = now() - interval '1 second'`);
    expect(await undo(id)).toBe('decided');
    expect(await stages.links.keepForWriting(snapshot(1).externalId, 'a slow worker')).toBe(false);
  });

  it('is refused when an attempt has begun to send', async () => {
    const id = await generated();
    await approve(id);
    const sent = { title: { value: 'Generated 1', before: 'Product 1' } };
    const limits = { maxWritesPerRun: 0, maxWritesPerDay: 0, timezone: 'UTC' };
    await stages.caps.begin({ id, store: STORE }, sent, limits);
    expect(await undo(id)).toBe('being_written');
  });

  it('is refused when there is no decision, or a newer result stands', async () => {
    const id = await generated();
    expect(await undo(id)).toBe('wrong_state');
    expect(await undo('nonsense')).toBe('wrong_state');
    await stages.decisions.decide(id, 'reject', PERSON);
    await generated({ name: 'Second' });
    expect(await undo(id)).toBe('newer_result');
  });

  it('is offered to the person who decided', async () => {
    const id = await generated();
    await approve(id);
    const since = new Date(Date.now() - 60_000);
    expect(await stages.decisions.last('somebody', since)).toMatchObject({ id, state: 'ready' });
    expect(await stages.decisions.last('another', since)).toBeNull();
    await stages.writer.write(id);
    expect(await stages.decisions.last('somebody', since)).toMatchObject({ id, state: 'applied' });
    await stages.reverter.revert(id, PERSON);
    expect(await stages.decisions.last('somebody', since)).toBeNull();
  });
});

describe('an approval of one text', () => {
  const approveOne = (id: string, shown?: Readonly<Record<string, string>>) => {
    const { writeBacks, decisions, reverter, reapplier, approver } = stages;
    const work = { writeBacks: () => Promise.resolve() } as unknown as RowWorkPort;
    const listing = new ListingRepository(stages.db);
    const operations = [writeBacks, decisions, listing, work, reverter, reapplier, approver] as const;
    return new WriteBackOperations(...operations).decide([id], 'approve', { ...PERSON, shown });
  };
  const leftToReview = async () => {
    const rows = await stages.writeBacks.forProduct(snapshot(1).externalId);
    return rows.filter(({ state }) => state === 'pending_review').map(({ intended }) => intended[0]?.target);
  };

  it('covers what the merchant edited before it, and leaves what they edit afterwards to review', async () => {
    const id = await generated();
    stages.store.edit('1', { title: 'Mine' });
    expect(await approveOne(id)).toMatchObject([{ ok: true }]);
    stages.store.edit('1', { descriptionHtml: '<p>Later</p>' });
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1')).toMatchObject({ title: 'Generated 1', descriptionHtml: '<p>Later</p>' });
    expect(await leftToReview()).toEqual(['descriptionHtml']);
  });

  it('covers no edit where the store could not be read', async () => {
    const id = await generated();
    stages.store.edit('1', { title: 'Mine' });
    stages.store.script.before('readLive', refusal('transient'));
    expect(await approveOne(id)).toMatchObject([{ ok: true }]);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1')).toMatchObject({ title: 'Mine', descriptionHtml: '<p>Generated 1</p>' });
    expect(await leftToReview()).toEqual(['title']);
  });

  it('on its page covers the values that the page showed and that the store still holds', async () => {
    const id = await generated();
    stages.store.edit('1', { title: 'Shown', descriptionHtml: '<p>Shown</p>' });
    const shown = { title: valueHash('Shown'), descriptionHtml: valueHash('<p>Shown</p>') };
    stages.store.edit('1', { descriptionHtml: '<p>Later</p>' });
    await approveOne(id, shown);
    // What the page showed stands again, but an approval never covers more than what the store held at the click.
    stages.store.edit('1', { descriptionHtml: '<p>Shown</p>' });
    await stages.writer.write(id);
    expect(stages.store.at('1')).toMatchObject({ title: 'Generated 1', descriptionHtml: '<p>Shown</p>' });
    expect(await leftToReview()).toEqual(['descriptionHtml']);
  });

  it('covers no edit and no gate where its page showed nothing of the store', async () => {
    stages.settings = {
      store: { writeBack: { mode: 'review', gates: { forbid: ['(?i)best price'] } } },
      workspace: {},
    };
    const gated = await generated({ name: 'The best price' });
    await approveOne(gated, {});
    await stages.writer.write(gated);
    expect(await rowOf(gated)).toMatchObject({ state: 'pending_review' });
    const edited = await generated();
    stages.store.edit('1', { title: 'Mine' });
    await approveOne(edited, {});
    await stages.writer.write(edited);
    expect(stages.store.at('1').title).toBe('Mine');
  });
});

describe('an edited text', () => {
  it('is what is written, and the row keeps what came', async () => {
    const id = await generated();
    expect(await edit(id, 'title', 'By a person')).toBe('edited');
    await approve(id);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1').title).toBe('By a person');
    const row = await rowOf(id);
    expect(row.intended[0]).toMatchObject({ value: 'By a person', came: { value: 'Generated 1' } });
    expect(row.fields[0]).toMatchObject({ target: 'title', after: 'By a person' });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1, generationRequested: 0 });
  });

  it('is refused in a state that is decided', async () => {
    const id = await generated();
    await approve(id);
    expect(await edit(id, 'title', 'By a person')).toBe('wrong_state');
  });

  it('keeps the edit that another person made of another field on the same version', async () => {
    const id = await generated();
    const { version } = await rowOf(id);
    expect(await edit(id, 'title', 'By one', version)).toBe('edited');
    expect(await edit(id, 'descriptionHtml', '<p>By another</p>', version)).toBe('edited');
    await approve(id);
    await stages.writer.write(id);
    expect(stages.store.at('1')).toMatchObject({ title: 'By one', descriptionHtml: '<p>By another</p>' });
  });

  it('does not replace an edit of the same field that its author has not seen', async () => {
    const id = await generated();
    const { version } = await rowOf(id);
    await edit(id, 'title', 'By one', version);
    expect(await edit(id, 'title', 'By another', version)).toBe('edited_meanwhile');
    expect((await rowOf(id)).intended[0]).toMatchObject({ value: 'By one' });
    expect(await edit(id, 'title', 'By another', (await rowOf(id)).version)).toBe('edited');
  });

  it('is not approved by a person who has not seen it', async () => {
    const id = await generated();
    const { version } = await rowOf(id);
    await edit(id, 'title', 'By another');
    const seen = (at: number) => stages.decisions.decide(id, 'approve', { ...PERSON, version: at });
    expect(await seen(version)).toBe('edited_meanwhile');
    expect(await rowOf(id)).toMatchObject({ state: 'pending_review' });
    expect(await seen((await rowOf(id)).version)).toBe('decided');
  });
});

describe('a declined field', () => {
  it('stays in the row with who declined it, and is not written', async () => {
    const id = await generated();
    await approve(id, ['title']);
    const declined = [{ target: 'descriptionHtml', value: '<p>Generated 1</p>', by: 'somebody' }];
    expect(await rowOf(id)).toMatchObject({ declined });
    await stages.writer.write(id);
    expect(await rowOf(id)).toMatchObject({ state: 'applied', declined });
    expect(stages.store.at('1').descriptionHtml).toBe('<p>Source 1</p>');
  });
});

describe('applying again after a revert', () => {
  beforeEach(() => {
    stages.settings = { store: {}, workspace: {} };
  });

  async function revertedRow(): Promise<string> {
    const id = await generated();
    await stages.writer.write(id);
    await stages.reverter.revert(id, PERSON);
    return id;
  }

  it('writes the texts in a new row, and the reverted row keeps its journal', async () => {
    const id = await revertedRow();
    const added = await stages.reapplier.reapply(id, PERSON);
    if (typeof added === 'string') throw new Error(added);
    expect(await stages.writer.write(added.id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect(await rowOf(added.id)).toMatchObject({ reappliedFrom: id, decidedBy: 'somebody' });
    expect(await rowOf(id)).toMatchObject({ state: 'reverted' });
    await stages.reverter.revert(added.id, PERSON);
    expect(stages.store.at('1').title).toBe('Product 1');
  });

  it('leaves a field that the merchant edited after the revert', async () => {
    const id = await revertedRow();
    stages.store.edit('1', { title: 'Mine' });
    const added = await stages.reapplier.reapply(id, PERSON);
    if (typeof added === 'string') throw new Error(added);
    await stages.writer.write(added.id);
    expect(stages.store.at('1')).toMatchObject({ title: 'Mine', descriptionHtml: '<p>Generated 1</p>' });
  });

  it('leaves what a gate finds to a person, also where gates block', async () => {
    const id = await revertedRow();
    stages.settings = {
      store: { writeBack: { gates: { forbid: ['Generated'], onFail: 'block' } } },
      workspace: {},
    };
    const added = await stages.reapplier.reapply(id, PERSON);
    if (typeof added === 'string') throw new Error(added);
    await stages.writer.write(added.id);
    expect(await rowOf(added.id)).toMatchObject({ state: 'pending_review' });
  });

  it('is done once, and not over a later result', async () => {
    const id = await revertedRow();
    await stages.reapplier.reapply(id, PERSON);
    expect(await stages.reapplier.reapply(id, PERSON)).toBe('newer_result');
  });

  it('of what is not reverted is refused', async () => {
    const id = await generated();
    expect(await stages.reapplier.reapply(id, PERSON)).toBe('wrong_state');
    expect(await stages.reapplier.reapply('nonsense', PERSON)).toBe('wrong_state');
  });
});
