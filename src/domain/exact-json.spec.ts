import { describe, expect, it } from '@jest/globals';
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
  ])('%s keeps its digits', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it('throws for what is no JSON', () => {
    expect(() => parseExactJson('{1234567890123456789')).toThrow(SyntaxError);
  });
});
