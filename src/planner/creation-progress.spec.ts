import { expect, it } from '@jest/globals';
import { whyCreationIsGivenUp } from './creation-progress.js';

const MINUTE = 60_000;

it.each([
  ['succeeded', 10 * MINUTE],
  ['unreadable', 60 * MINUTE],
  ['running', 24 * 60 * MINUTE],
] as const)(
  'a creation whose product is not found is waited for while its task is %s, for %d ms, and then given up with a reason',
  (task, mostMs) => {
    expect(whyCreationIsGivenUp(task, mostMs)).toBeNull();
    expect(whyCreationIsGivenUp(task, mostMs + 1)).toMatch(/catalog/);
  },
);
