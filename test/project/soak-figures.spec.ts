import { describe, expect, it } from '@jest/globals';
import { compare, type Figure } from '../soak/long/figures.js';
import { passedSince } from '../soak/long/retention.js';

const grown = (early: number, late: Figure): readonly string[] =>
  compare(new Map([['it', { value: early, slack: 0 }]]), new Map([['it', late]])).grown;

describe('a figure of a long run', () => {
  it('may grow by a tenth', () => {
    expect(grown(100, { value: 110, slack: 0 })).toEqual([]);
    expect(grown(100, { value: 111, slack: 0 })).toEqual(['it: 100 → 111 (× 1.11), GROWN']);
  });

  it('may grow by its slack where that is more', () => {
    expect(grown(2, { value: 5, slack: 3 })).toEqual([]);
    expect(grown(2, { value: 6, slack: 3 })).toHaveLength(1);
  });

  it('that is new at the end counts as grown from nothing', () => {
    expect(compare(new Map(), new Map([['it', { value: 1, slack: 0 }]])).grown).toEqual(['it: 0 → 1, GROWN']);
  });

  it('that grows with the time is reported and not judged', () => {
    const late = { value: 900, slack: 0, grows: 'a journal' };
    expect(grown(100, late)).toEqual([]);
    expect(compare(new Map([['it', { value: 100, slack: 0 }]]), new Map([['it', late]])).lines).toEqual([
      'it: 100 → 900 (× 9.00), a journal',
    ]);
  });
});

describe('the log of a daemon', () => {
  it('shows when retention has passed last', () => {
    const line = JSON.stringify({
      time: '2026-11-23T06:05:00.000Z',
      msg: 'history beyond database.keepDays was removed',
    });
    expect(passedSince([line, '{"msg":"run ended"}'], new Date('2026-11-23T06:00:00Z'))).toBe(true);
    expect(passedSince([line], new Date('2026-11-23T06:06:00Z'))).toBe(false);
    expect(passedSince([], new Date(0))).toBe(false);
  });
});
