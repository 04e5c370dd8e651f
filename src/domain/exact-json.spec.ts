import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson } from './exact-json.js';

describe('JSON with large numbers', () => {
  it.each([
    ['12345678901234567890', '12345678901234567890'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['[1, {"id": 98765432109876543210}]', [1, { id: '98765432109876543210' }]],
    ['1.2345678901234567', 1.2345678901234567],
    ['1e30', 1e30],
    ['"1234567890123456789"', '1234567890123456789'],
    ['{"a": 1}', { a: 1 }],
    ['9'.repeat(10_000_000), Number.POSITIVE_INFINITY],
    ['1.5e1234567890123456', Number.POSITIVE_INFINITY],
    ['[0.1234567890123456789]', [0.12345678901234568]],
    [
      String.raw`{"a\\": "\"1234567890123456789", "b":12345678901234567890 ,"c":[-98765432109876543210]}`,
      { 'a\\': '"1234567890123456789', b: '12345678901234567890', c: ['-98765432109876543210'] },
    ],
  ])('%# keeps its digits', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    '{1234567890123456789',
    '{1234567890123456789 : 1}',
    '01234567890123456789',
    '[1 12345678901234567]',
  ])('throws for %s, which is no JSON', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it('is read as JSON.parse reads it, where there are none', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(parseExactJson(`[1234567890123456, ${text}]`)).toEqual([1234567890123456, JSON.parse(text)]);
      }),
    );
  });
});
