import { expect, it } from '@jest/globals';
import { countedStates } from './state-words.js';

it.each([
  [{ pending_review: 1, applied: 2 }, '1 waits for review, 2 live'],
  [{ pending_review: 5 }, '5 wait for review'],
  [{}, 'none'],
])('counts the rows of each state by words that agree with the number: %j', (counts, expected) => {
  expect(countedStates(counts)).toBe(expected);
});
