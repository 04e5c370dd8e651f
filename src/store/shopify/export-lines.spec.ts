import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter, parseLine } from './export-lines.js';

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

  it('refuses a line of 64 MB, and holds no more of it', () => {
    const splitter = new LineSplitter();
    const chunk = Buffer.alloc(1024 * 1024, 0x78);
    const pushAll = (count: number): void => {
      for (let pushed = 0; pushed < count; pushed += 1) expect([...splitter.push(chunk)]).toEqual([]);
    };
    pushAll(63);
    expect(() => {
      pushAll(1);
    }).toThrow('a line of the export has 64 MB or more');
  });
});

it('a line of an export has texts that a database can hold, whatever was escaped in it', () => {
  const node = { id: 'gid://shopify/Product/1', title: 'Mug\u0000 \ud83e!', tags: ['a\u0000'] };
  expect(parseLine(Buffer.from(JSON.stringify(node))).node).toEqual({
    id: 'gid://shopify/Product/1',
    title: 'Mug \ufffd!',
    tags: ['a'],
  });
});
