import { describe, expect, it } from '@jest/globals';
import { nextStart } from './next-start.js';

const startAfter = (cron: string, timezone: string, after: string | number): string =>
  nextStart({ schedule: { cron, timezone, fullEvery: 7 } }, new Date(after)).toISOString();

describe('the next start of a schedule', () => {
  it.each([
    ['0 2 * * *', 'UTC', '2026-11-20T01:59:59.999Z', '2026-11-20T02:00:00.000Z'],
    ['0 2 * * *', 'UTC', '2026-11-20T02:00:00.000Z', '2026-11-21T02:00:00.000Z'],
    ['0 2 * * *', 'Asia/Tokyo', '2026-11-19T16:00:00.000Z', '2026-11-19T17:00:00.000Z'],
    ['* * * * * *', 'UTC', '2026-11-20T06:30:59.900Z', '2026-11-20T06:31:00.000Z'],
    ['*/10 9-17 * * 1-5', 'UTC', '2026-11-20T17:50:00.000Z', '2026-11-23T09:00:00.000Z'],
  ])('%s in %s after %s is %s', (cron, timezone, after, start) => {
    expect(startAfter(cron, timezone, after)).toBe(start);
  });

  it.each([
    ['2026-03-29T00:59:59.999Z', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ['2026-10-25T00:29:59.999Z', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ['2026-10-25T01:00:00.000Z', '2026-10-26T01:30:00.000Z'],
  ])('in an hour that the clocks leave out or repeat is one: after %s it is %s', (after, start) => {
    expect(startAfter('30 2 * * *', 'Europe/Berlin', after)).toBe(start);
  });

  const localDay = (timezone: string, at: string): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(new Date(at));

  it.each([
    ['0 3 * * *', 'Europe/Berlin', '2026-10-25'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25'],
    ['0 2 * * *', 'Europe/Berlin', '2026-03-29'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29'],
    ['0 3 * * *', 'Europe/Berlin', '2026-03-29'],
    ['0 2 * * *', 'America/New_York', '2026-11-01'],
    ['30 1 * * *', 'America/New_York', '2026-11-01'],
    ['0 2 * * *', 'America/New_York', '2026-03-08'],
    ['0 0 * * *', 'America/Santiago', '2026-09-06'],
    ['0 23 * * *', 'America/Santiago', '2026-04-04'],
    // Half an hour is repeated there.
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05'],
  ])(
    '%s in %s is one for each local day around %s, from wherever it is looked for',
    (cron, timezone, change) => {
      const from = Date.parse(`${change}T00:00:00Z`) - 30 * 3_600_000;
      const starts = new Set<string>();
      for (let minute = 0; minute < 72 * 60; minute += 15)
        starts.add(startAfter(cron, timezone, from + minute * 60_000 + 500));
      const days = [...starts].map((start) => localDay(timezone, start));
      expect(days).toEqual([...new Set(days)]);
      expect(days).toHaveLength(4);
    },
  );

  it('of every hour goes on through a change of clocks', () => {
    expect(startAfter('0 * * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z')).toBe('2026-10-25T01:00:00.000Z');
    expect(startAfter('0 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });
});
