import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MaybeSet } from './maybe-set.js';

const id = (number: number): string => `shopify:example.myshopify.com:${String(8_000_000_000_000 + number)}`;

describe('a set of texts by their hashes', () => {
  it('knows each text that was added, and none of 200,000 like it before', () => {
    const set = new MaybeSet();
    const ids = Array.from({ length: 200_000 }, (_, number) => id(number));
    expect(ids.filter((each) => set.add(each))).toEqual([]);
    expect(ids.every((each) => set.add(each))).toBe(true);
  });

  it('answers like a set of texts, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 200 }), (texts) => {
        const [set, known] = [new MaybeSet(), new Set<string>()];
        for (const text of texts) {
          expect(set.add(text)).toBe(known.has(text));
          known.add(text);
        }
      }),
    );
  });
});
