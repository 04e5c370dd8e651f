import { describe, expect, it } from '@jest/globals';
import { isCronExpression, isTimezone } from './schedule-text.js';

describe('a cron expression', () => {
  it.each(['@daily', '0 2 * * MON-FRI', '30 0 2 * * *', '0 0 29 2 *', '0 2 1,15 * 7'])(
    'of another form is accepted where the library accepts it: %s',
    (expression) => {
      expect(isCronExpression(expression)).toBe(true);
    },
  );

  it.each(['', '* *', '60 * * * *', '0 0 30 2 *', '0 2 * * 9', '2 AM'])(
    'is refused where the library refuses it, or finds no date: "%s"',
    (expression) => {
      expect(isCronExpression(expression)).toBe(false);
    },
  );
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
