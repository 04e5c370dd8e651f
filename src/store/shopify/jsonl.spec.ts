import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter, parentToken } from './jsonl.js';

describe('LineSplitter', () => {
  it('yields the same lines however the bytes are cut', () => {
    const lines = fc.array(
      fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !text.includes('\n')),
    );
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 20 }), fc.boolean(), (expected, chunkBytes, ended) => {
        const splitter = new LineSplitter();
        const bytes = Buffer.from(expected.join('\n') + (ended && expected.length > 0 ? '\n' : ''));
        const seen: string[] = [];
        for (let at = 0; at < bytes.length; at += chunkBytes) {
          for (const part of splitter.push(bytes.subarray(at, at + chunkBytes))) seen.push(part.toString());
        }
        const rest = splitter.rest().toString();
        expect(rest === '' ? seen : [...seen, rest]).toEqual(expected);
      }),
    );
  });
});

describe('parentToken', () => {
  it('agrees with a parser about which lines are products, whatever the texts in them', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('__parentId', '"__parentId":"x"', '\\"__parentId\\":', '\\'),
    );
    const node = fc.record({ id: fc.string(), a: text, b: text, nested: fc.record({ id: text, c: text }) });
    fc.assert(
      fc.property(node, fc.boolean(), (value, isChild) => {
        const line = JSON.stringify(isChild ? { ...value, __parentId: 'p' } : value).replaceAll('/', '\\/');
        expect(parentToken(Buffer.from(line))?.toString()).toBe(isChild ? '"p"' : undefined);
      }),
      { numRuns: 1_000 },
    );
  });
});
