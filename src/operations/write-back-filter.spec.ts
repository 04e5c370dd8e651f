import { describe, expect, it } from '@jest/globals';
import { namedTexts } from './write-back-filter.js';

describe('a filter of the command line', () => {
  it('has parts by name', () => {
    expect(namedTexts(['state=applied', 'search=a=b'])).toEqual({ state: 'applied', search: 'a=b' });
  });

  it.each([
    ['color=red', /^--filter: unknown key “color”; known: state, store, .*, day, from, to$/],
    ['state=nope', /^--filter: state: no such value; valid: pending_review, ready, /],
    ['day=2026-13-45', '--filter: day: no such day; write it as 2026-11-27'],
    ['from=yesterday', '--filter: from: no such day; write it as 2026-11-27'],
    ['run=7', /^--filter: run: not an id, such as /],
    ['search=', '--filter: search: empty'],
    ['search', '--filter search: write it as name=value'],
  ])('that is not understood is refused with what is valid: %s', (given, message) => {
    expect(() => namedTexts([given])).toThrow(message);
  });
});
