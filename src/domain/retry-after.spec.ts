import { expect, it } from '@jest/globals';
import { parseRetryAfterMs } from './retry-after.js';

const now = new Date('2026-03-01T12:00:00Z');

it.each([
  ['whole seconds', '120', 120_000],
  ['zero', '0', 0],
  ['a fraction, which some services send', '1.5', 1500],
  ['an HTTP date', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['the obsolete date form', 'Sunday, 01-Mar-26 12:00:30 GMT', 30_000],
  ['a date that has passed', 'Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['more than an hour', '86400', 3_600_000],
  ['spaces', ' 7 ', 7000],
  ['nothing', undefined, undefined],
  ['an empty header', '', undefined],
  ['a negative number', '-5', undefined],
  ['a date that is none', 'Sun, 99 Foo 2026', undefined],
])('parseRetryAfterMs reads %s', (_name, header, expected) => {
  expect(parseRetryAfterMs(header, now)).toBe(expected);
});
