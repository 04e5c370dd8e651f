import { describe, expect, it, jest } from '@jest/globals';
import { CronTime } from 'cron';
import fc from 'fast-check';
import { CATCH_UP_MS, latestSlot } from './slots.js';

const slotAt = (cron: string, timezone: string, now: string): string | undefined =>
  latestSlot(cron, timezone, new Date(now))?.toISOString();

describe('the latest slot of a schedule', () => {
  it.each(['2026-11-20T02:00:30.000Z', '2026-11-20T01:00:00.000Z'])(
    'is searched once for all stores that share the schedule, found or not (at %s)',
    (now) => {
      const first = slotAt('0 2 * * *', 'Pacific/Apia', now);
      const search = jest.spyOn(CronTime.prototype, 'getNextDateFrom');
      expect(slotAt('0 2 * * *', 'Pacific/Apia', now)).toBe(first);
      expect(search).not.toHaveBeenCalled();
      slotAt('0 2 * * *', 'Pacific/Auckland', now);
      expect(search).toHaveBeenCalled();
      search.mockRestore();
    },
  );

  it.each([
    ['0 2 * * *', 'UTC', '2026-11-20T02:00:00.000Z', '2026-11-20T02:00:00.000Z'],
    ['0 2 * * *', 'UTC', '2026-11-20T02:00:00.900Z', '2026-11-20T02:00:00.000Z'],
    ['0 2 * * *', 'UTC', '2026-11-20T01:59:59.999Z', undefined],
    ['0 2 * * *', 'UTC', '2026-11-20T07:59:00.000Z', '2026-11-20T02:00:00.000Z'],
    ['0 2 * * *', 'UTC', '2026-11-20T08:01:00.000Z', undefined],
    ['0 2 * * *', 'Asia/Tokyo', '2026-11-19T17:00:00.000Z', '2026-11-19T17:00:00.000Z'],
    ['* * * * * *', 'UTC', '2026-11-20T06:30:59.900Z', '2026-11-20T06:30:59.000Z'],
    ['0 0 1 1 *', 'UTC', '2026-01-01T03:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['0 0 1 1 *', 'UTC', '2026-11-20T18:30:00.000Z', undefined],
    // Ticks that are close together, followed by a long pause.
    ['0 1,2 * * *', 'UTC', '2026-11-20T06:30:00.000Z', '2026-11-20T02:00:00.000Z'],
    ['*/10 9-17 * * 1-5', 'UTC', '2026-11-20T22:00:00.000Z', '2026-11-20T17:50:00.000Z'],
  ])('%s in %s at %s is %s', (cron, timezone, now, slot) => {
    expect(slotAt(cron, timezone, now)).toBe(slot);
  });

  it.each([
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T01:30:00.500Z',
    '2026-03-29T02:00:00.000Z',
    '2026-03-29T05:00:00.000Z',
  ])('at an hour that the clocks leave out is one tick, seen from %s', (now) => {
    expect(slotAt('30 2 * * *', 'Europe/Berlin', now)).toBe('2026-03-29T01:00:00.000Z');
  });

  it.each(['2026-10-25T00:30:00.500Z', '2026-10-25T01:30:00.500Z', '2026-10-25T05:00:00.000Z'])(
    'at an hour that the clocks repeat is one tick, seen from %s',
    (now) => {
      expect(slotAt('30 2 * * *', 'Europe/Berlin', now)).toBe('2026-10-25T00:30:00.000Z');
    },
  );

  const localDay = (timezone: string, at: Date): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(at);

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
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-04'],
  ])(
    '%s in %s is one slot for each local day around %s, whenever it is looked for',
    (cron, timezone, change) => {
      const from = Date.parse(`${change}T00:00:00Z`) - 30 * 3_600_000;
      const slots = new Set<string>();
      for (let minute = 0; minute < 72 * 60; minute += 45) {
        const slot = latestSlot(cron, timezone, new Date(from + minute * 60_000 + 500));
        if (slot !== null && slot.getTime() >= from) slots.add(slot.toISOString());
      }
      const days = [...slots].map((slot) => localDay(timezone, new Date(slot)));
      expect(days).toEqual([...new Set(days)]);
      expect(days).toHaveLength(3);
    },
  );

  it('every hour goes on through a change of clocks', () => {
    expect(slotAt('0 * * * *', 'Europe/Berlin', '2026-10-25T01:00:01Z')).toBe('2026-10-25T01:00:00.000Z');
    expect(slotAt('0 * * * *', 'Europe/Berlin', '2026-03-29T01:00:01Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  it('is the same for replicas whose timers fire at different moments before the next tick', () => {
    const cron = fc.constantFrom('0 2 * * *', '*/7 * * * *', '15 1,2,14 * * *', '0 0 * * 1');
    const timezone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago', 'Asia/Kathmandu');
    const start = Date.UTC(2026, 0, 1);
    const at = fc.integer({ min: 0, max: 365 * 24 * 60 }).map((minutes) => start + minutes * 60_000);
    fc.assert(
      fc.property(cron, timezone, at, fc.integer({ min: 0, max: 60_000 }), (rule, zone, nowMs, skewMs) => {
        const first = latestSlot(rule, zone, new Date(nowMs));
        const second = latestSlot(rule, zone, new Date(nowMs + skewMs));
        if (first !== null) {
          expect(first.getTime()).toBeLessThanOrEqual(nowMs);
          expect(nowMs - first.getTime()).toBeLessThan(CATCH_UP_MS);
        }
        // Either there is no tick between the two times, or the later replica finds that tick.
        if (second !== null && second.getTime() <= nowMs) expect(second).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });
});
