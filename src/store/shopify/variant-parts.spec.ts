import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VariantParts } from './variant-parts.js';

const gid = (id: number): string => `gid://shopify/ProductVariant/${String(id)}`;

describe('the parts of variants', () => {
  it('are found as in a map, however many there are', () => {
    const ids = fc.oneof(
      fc.integer({ min: 1, max: 50 }),
      fc.maxSafeInteger().filter((id) => id > 0),
    );
    const entries = fc.array(fc.tuple(ids, fc.integer({ min: 0, max: 255 })), {
      maxLength: 3_000,
      size: 'max',
    });
    fc.assert(
      fc.property(entries, (list) => {
        const parts = new VariantParts();
        const known = new Map(list);
        for (const [id, part] of list) parts.set(gid(id), part);
        const asked = [...known.keys(), Number.MAX_SAFE_INTEGER];
        expect(asked.map((id) => parts.get(gid(id)))).toEqual(asked.map((id) => known.get(id)));
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    'gid://shopify/ProductVariant/x',
    'gid://shopify/ProductVariant/0',
    'gid://shopify/ProductVariant/',
  ])('refuse %s, which ends with no number', (variant) => {
    expect(() => new VariantParts().set(variant, 1)).toThrow('a variant without a number');
  });
});
