import { describe, expect, it } from '@jest/globals';
import { csvLine } from './run-items.js';

describe('a line of a CSV file', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('holds %j as a text, not as a formula', (cell) => {
    expect(csvLine([cell])).toBe(`"'${cell}"\r\n`);
  });

  it('quotes its cells', () => {
    expect(csvLine(['a "b"', 'c,d'])).toBe('"a ""b""","c,d"\r\n');
  });
});
