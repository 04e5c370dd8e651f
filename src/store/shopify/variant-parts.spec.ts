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
        for (const [id, part] of known) expect(parts.get(gid(id))).toBe(part);
        expect(parts.get(gid(Number.MAX_SAFE_INTEGER))).toBe(known.get(Number.MAX_SAFE_INTEGER));
      }),
      { numRuns: 20 },
    );
  });

  it('are kept for a million variants with ids in a row within 40 MB', () => {
    const before = process.memoryUsage().arrayBuffers;
    const parts = new VariantParts();
    for (let id = 44_000_000_000_000; id < 44_000_001_000_000; id += 1) parts.set(gid(id), id % 251);
    expect(parts.get(gid(44_000_000_500_000))).toBe(44_000_000_500_000 % 251);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 * 1024);
  });

  it.each([
    'gid://shopify/ProductVariant/x',
    'gid://shopify/ProductVariant/0',
    'gid://shopify/ProductVariant/',
  ])('refuse %s, which ends with no number', (variant) => {
    expect(() => new VariantParts().set(variant, 1)).toThrow('a variant without a number');
  });
});
