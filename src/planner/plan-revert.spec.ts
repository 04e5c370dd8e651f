import { describe, expect, it } from '@jest/globals';
import type { JournalField } from '../domain/write-back-journal.js';
import { valueHash, type WrittenContent } from '../domain/written-content.js';
import { planRevert } from './plan-revert.js';

const field: JournalField = {
  target: 'title',
  outcome: 'written',
  reason: 'generated',
  before: 'Merchant',
  type: null,
  after: 'Generated',
};
const written: WrittenContent = {
  title: { ours: valueHash('Later'), past: [valueHash('Generated')], replaced: 'Merchant' },
};

describe('a revert', () => {
  it.each([
    ['restores what is still ours', 'Generated', {}, 'reverted', true],
    ['writes nothing where the before-image is back already', 'Merchant', {}, 'reverted', false],
    ['leaves an edit', 'Edited', {}, 'not_ours', false],
    ['leaves a later text of ours', 'Later', {}, 'not_ours', false],
    ['leaves an emptied field', null, {}, 'not_ours', false],
    ['leaves a field that was never written', 'Generated', { outcome: 'conflict' }, 'conflict', false],
  ] as const)('%s', (_what, live, change, outcome, writes) => {
    const plan = planRevert([{ ...field, ...change }], () => live, written);
    expect(plan.fields[0]?.outcome).toBe(outcome);
    expect(plan.restore).toHaveLength(writes ? 1 : 0);
  });

  it.each([
    ['Edited', 'somebody edited it'],
    ['Later', 'a later write-back'],
    ['', 'no longer has a value'],
  ])('says why it leaves “%s” alone', (live, reason) => {
    expect(planRevert([field], () => live, written).fields[0]?.reason).toContain(reason);
  });

  it('of a field that was empty before restores it to nothing', () => {
    const plan = planRevert([{ ...field, before: null }], () => 'Generated', written);
    expect(plan.restore).toHaveLength(1);
    expect(planRevert([{ ...field, before: null }], () => '', written).restored.has('title')).toBe(true);
  });

  it('leaves a translation that cannot be read, which is not known to be empty', () => {
    const french = { ...field, target: 'fr:title' };
    for (const before of [null, 'Merchant']) {
      const plan = planRevert(
        [{ ...french, before }],
        () => null,
        {},
        () => 'the app lacks a scope',
      );
      expect(plan).toMatchObject({ restore: [], restored: new Set() });
      expect(plan.fields[0]).toMatchObject({
        outcome: 'not_ours',
        reason: 'left alone: it cannot be read (the app lacks a scope)',
      });
    }
  });
});
