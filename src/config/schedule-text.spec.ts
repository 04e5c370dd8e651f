import { describe, expect, it } from '@jest/globals';
import { CronTime } from 'cron';
import fc from 'fast-check';
import { isCronExpression, isTimezone } from './schedule-text.js';

const listOf = (least: number, most: number) =>
  fc.array(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 4 }).map(String);
const every = fc.constant('*');
const step = fc.integer({ min: 1, max: 9 }).map((number) => `*/${String(number)}`);
const one = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String);

/** Expressions of every form that is accepted without the library. */
const usual = fc
  .tuple(
    fc.oneof(every, step, listOf(0, 59)),
    fc.oneof(every, step, listOf(0, 23)),
    fc.oneof(every, one(1, 28)),
    fc.oneof(every, one(1, 12)),
    fc.oneof(every, listOf(0, 6)),
  )
  .map((fields) => fields.join(' '));

describe('a cron expression', () => {
  it('of numbers and lists is accepted, and the library finds a date for it', () => {
    fc.assert(
      fc.property(usual, (expression) => {
        expect(isCronExpression(expression)).toBe(true);
        expect(new CronTime(expression, 'UTC').sendAt().isValid).toBe(true);
      }),
    );
  });

  it.each([
    '@daily',
    '0 2 * * MON-FRI',
    '0-30/10 2 * * *',
    '30 0 2 * * *',
    '0 0 31 1 *',
    '0 0 29 2 *',
    '0 2 1,15 * 7',
  ])('of another form is accepted where the library accepts it: %s', (expression) => {
    expect(isCronExpression(expression)).toBe(true);
  });

  it.each([
    '',
    '* *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 30 2 *',
    '0 0 * 13 *',
    '0 2 * * 9',
    '2 AM',
  ])('is refused where the library refuses it, or finds no date: "%s"', (expression) => {
    expect(isCronExpression(expression)).toBe(false);
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'Asia/Calcutta', 'Asia/Kolkata', 'Etc/GMT+5'])(
    '%s is known',
    (name) => {
      expect(isTimezone(name)).toBe(true);
    },
  );

  it.each(['', 'Mars/Base', '+02:00', 'Berlin'])('"%s" is not', (name) => {
    expect(isTimezone(name)).toBe(false);
  });
});
