import { describe, expect, it } from '@jest/globals';
import { StoreProductEntity } from '../../persistence/entities/index.js';
import { remarksOf, resultOf, type ProductStory } from './demo-report.js';

const ACTIVE = { status: 'ACTIVE', isGiftCard: false } as const;

/** A linked product whose text has the given write-back. */
function story(writeBack: ProductStory['writeBack']): ProductStory {
  const link = Object.assign(new StoreProductEntity(), { withheld: [] });
  return { link, taskState: 'done', taskReason: null, writeBack, failure: null };
}

describe('a product of the demo', () => {
  it.each([
    ['was written', { state: 'applied', reason: null, isHeld: false }, true],
    [
      'is held back by a gate, as the demo shows',
      { state: 'pending_review', reason: 'title', isHeld: true },
      true,
    ],
    ['waits although no gate holds it', { state: 'pending_review', reason: null, isHeld: false }, false],
    ['could not be written', { state: 'failed', reason: 'refused', isHeld: false }, false],
    ['has no text yet', null, false],
  ])('whose text %s: completed is decided by that', (_what, writeBack, completed) => {
    expect(resultOf(ACTIVE, story(writeBack)).completed).toBe(completed);
  });

  it('that is a draft or a gift card counts neither as completed nor as failed', () => {
    expect(resultOf({ ...ACTIVE, status: 'DRAFT' }, story(null)).completed).toBeNull();
    expect(resultOf({ ...ACTIVE, isGiftCard: true }, story(null)).completed).toBeNull();
  });
});

describe('a run of the demo', () => {
  it('says why it failed before its notes, and nothing where there is nothing to say', () => {
    expect(remarksOf({ error: 'refused', notes: ['a note'] })).toEqual(['refused', 'a note']);
    expect(remarksOf({ error: null, notes: [] })).toEqual([]);
  });
});
