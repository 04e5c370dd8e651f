import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isTextWithin, isWithin } from './json-bounds.js';

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
    expect(isTextWithin(JSON.stringify(value, null, 1), bounds)).toBe(within);
  });

  it('is judged alike as a value and as a text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(5), fc.nat(30), (value, depth, nodes) => {
        const bound = { depth, nodes };
        expect(isTextWithin(JSON.stringify(value), bound)).toBe(isWithin(value, bound));
      }),
    );
  });

  it('is never followed deeper than allowed', () => {
    expect(isWithin(nested(100_000), { depth: 100, nodes: 1_000_000 })).toBe(false);
  });
});
