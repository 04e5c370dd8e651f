import { describe, expect, it } from '@jest/globals';
import { StoreProductEntity } from '../../persistence/entities/index.js';
import {
  dashboardLines,
  remarksOf,
  resultOf,
  summaryOf,
  type DemoFate,
  type ProductStory,
} from './demo-report.js';

const ACTIVE = { leftAlone: null };

/** A linked product whose text has the given write-back. */
function story(writeBack: ProductStory['writeBack']): ProductStory {
  const link = Object.assign(new StoreProductEntity(), { withheld: [] });
  return { link, taskState: 'done', taskReason: null, writeBack, failure: null };
}

describe('a product of the demo', () => {
  it.each([
    ['was written', { state: 'applied', reason: null, isHeld: false }, 'written'],
    ['is held back by a gate', { state: 'pending_review', reason: 'title', isHeld: true }, 'waiting'],
    ['waits, held by no gate', { state: 'pending_review', reason: null, isHeld: false }, 'incomplete'],
    ['could not be written', { state: 'failed', reason: 'refused', isHeld: false }, 'incomplete'],
    ['has not arrived yet', null, 'incomplete'],
  ])('whose text %s counts as such', (_what, writeBack, fate) => {
    expect(resultOf(ACTIVE, story(writeBack)).fate).toBe(fate);
  });

  it('that is a draft or a gift card is left alone', () => {
    for (const leftAlone of ['draft', 'a gift card'])
      expect(resultOf({ leftAlone }, story(null))).toEqual({
        outcome: `not synchronised: the product is ${leftAlone}`,
        fate: 'left_alone',
      });
  });
});

it('the summary of the demo counts each fate by its own name, and no product as completed that has no text', () => {
  const fates = (count: number, fate: DemoFate) => Array.from({ length: count }, () => ({ fate }));
  const outcomes = [
    ...fates(36, 'written'),
    ...fates(1, 'waiting'),
    ...fates(1, 'failed'),
    ...fates(1, 'no_sources'),
  ];
  expect(summaryOf(outcomes)).toBe(
    '36 written, 1 waits for review, 1 failed in the catalog, 1 without sources',
  );
});

it('a run of the demo says why it failed before its notes, and nothing where there is nothing to say', () => {
  expect(remarksOf({ error: 'refused', notes: ['a note'] })).toEqual(['refused', 'a note']);
  expect(remarksOf({ error: null, notes: [] })).toEqual([]);
});

describe('the way into the dashboard', () => {
  const world = { url: 'http://127.0.0.1:3000', adminToken: 'the-token' };

  it('is a link that signs in on a terminal', () => {
    expect(dashboardLines({ ...world, path: '/sign-in?link=x' })).toEqual([
      'Open the dashboard, signed in: http://127.0.0.1:3000/sign-in?link=x',
      'The link works once, within ten minutes. Later, sign in with the token the-token. Press Ctrl-C to stop.',
    ]);
  });

  it('is the token alone where the output may be kept', () => {
    expect(dashboardLines({ ...world, path: null })).toEqual([
      'The dashboard is at http://127.0.0.1:3000; sign in with the token the-token. Press Ctrl-C to stop.',
    ]);
  });
});
