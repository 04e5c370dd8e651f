import { describe, expect, it } from '@jest/globals';
import { isWithin } from './json-bounds.js';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('a JSON value', () => {
  const bounds = { depth: 3, nodes: 5 };

  it.each<[unknown, boolean]>([
    ['text', true],
    [null, true],
    [{ a: { b: { c: 1 } } }, true],
    [{ a: { b: { c: {} } } }, false],
    [[[[]]], true],
    [[[[[]]]], false],
    [[1, 2, 3, 4], true],
    [[1, 2, 3, 4, 5], false],
    [{ a: 1, b: [2, 3] }, true],
    [{ a: 1, b: [2, 3, 4] }, false],
  ])('%j is within three levels and five values: %s', (value, within) => {
    expect(isWithin(value, bounds)).toBe(within);
  });

  it('is never followed deeper than allowed', () => {
    expect(isWithin(nested(100_000), { depth: 100, nodes: 1_000_000 })).toBe(false);
  });
});
