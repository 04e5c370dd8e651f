import { describe, expect, it } from '@jest/globals';
import { nextStart, startDelayMs } from './start-times.js';

const HOUR_MS = 3_600_000;

function stored(shop: string, spread: number) {
  return { shop, schedule: { cron: '0 2 * * *', timezone: 'UTC', fullEvery: 7, spread } };
}

describe('startDelayMs', () => {
  it('is zero without a spread', () => {
    expect(startDelayMs(stored('one.myshopify.com', 0))).toBe(0);
  });

  it('is the same for a shop every time', () => {
    const delay = startDelayMs(stored('one.myshopify.com', HOUR_MS));
    expect(startDelayMs(stored('one.myshopify.com', HOUR_MS))).toBe(delay);
  });

  it('distributes a thousand shops evenly: no minute of the hour gets more than three times its share', () => {
    const minutes = new Array<number>(60).fill(0);
    for (let shop = 0; shop < 1000; shop += 1) {
      const delay = startDelayMs(stored(`shop-${String(shop)}.myshopify.com`, HOUR_MS));
      const minute = Math.floor(delay / 60_000);
      minutes[minute] = (minutes[minute] ?? 0) + 1;
    }
    expect(minutes).toHaveLength(60);
    expect(Math.min(...minutes)).toBeGreaterThan(0);
    expect(Math.max(...minutes)).toBeLessThan(50);
  });
});

describe('nextStart', () => {
  const store = stored('one.myshopify.com', HOUR_MS);
  const start = new Date(Date.parse('2026-11-20T02:00:00Z') + startDelayMs(store));

  it.each([
    ['before the tick', '2026-11-20T01:00:00Z'],
    ['between the tick and the start', '2026-11-20T02:00:00Z'],
  ])('asked %s is the start that belongs to the tick', (_when, now) => {
    expect(nextStart(store, new Date(now))).toEqual(start);
  });

  it('asked after the start is that of the next night', () => {
    expect(nextStart(store, new Date(start.getTime() + 1)).getTime()).toBe(start.getTime() + 24 * HOUR_MS);
  });
});
