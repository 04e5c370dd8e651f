import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RateLimiter } from './rate-limiter.js';

function virtual() {
  let atMs = 1_000_000;
  return {
    clock: () => new Date(atMs),
    now: () => atMs,
    set: (ms: number) => {
      atMs = ms;
    },
    sleep: async (ms: number) => {
      atMs += ms;
      await Promise.resolve();
    },
  };
}

async function starts(limiter: RateLimiter, count: number): Promise<number[]> {
  const slots = await Promise.all(Array.from({ length: count }, () => limiter.acquire(Infinity)));
  return slots.map(({ startedAtMs }) => startedAtMs);
}

describe('RateLimiter', () => {
  it('starts no more than double the ceiling in any one second, whatever the pauses between and late timers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 50, max: 2000 })),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 200 })), {
          maxLength: 6,
        }),
        fc.integer({ min: 0, max: 60 }),
        async (perSecond, bursts, lateMs) => {
          const time = virtual();
          const limiter = new RateLimiter(perSecond, time.clock, (ms) => time.sleep(ms + lateMs));
          const at: number[] = [];
          for (const [idleMs, count] of bursts) {
            time.set(time.now() + idleMs);
            at.push(...(await starts(limiter, count)));
          }
          for (const from of at) {
            expect(at.filter((ms) => ms >= from && ms < from + 1000).length).toBeLessThanOrEqual(
              2 * perSecond,
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps the ceiling over a long time', async () => {
    const time = virtual();
    const at = await starts(new RateLimiter(10, time.clock, time.sleep), 101);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(9900);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeLessThanOrEqual(10_100);
  });

  it('lets what comes together start together, as far as the last twentieth of a second was not used', async () => {
    const time = virtual();
    const limiter = new RateLimiter(200, time.clock, time.sleep);
    const at = await starts(limiter, 14);
    const [first = 0] = at;
    expect(at.filter((ms) => ms === first)).toHaveLength(11);
    expect(at.slice(11).map((ms) => ms - first)).toEqual([5, 10, 15]);
  });

  it('serves in the order of asking', async () => {
    const time = virtual();
    const limiter = new RateLimiter(10, time.clock, time.sleep);
    const order: number[] = [];
    await Promise.all([1, 2, 3].map(async (n) => limiter.acquire(0).then(() => order.push(n))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('halves the pace once for requests that were under way together, and gives it back little by little', async () => {
    const time = virtual();
    const limiter = new RateLimiter(10, time.clock, time.sleep);
    const [first = 0, second = 0] = await starts(limiter, 2);
    limiter.slowDown(first, 1000);
    limiter.slowDown(second, 1000);
    expect(limiter.pace).toBe(5);
    const { startedAtMs, pausedMs } = await limiter.acquire(5000);
    expect(pausedMs).toBe(1000);
    limiter.slowDown(startedAtMs, 0);
    expect(limiter.pace).toBe(2.5);
    for (let n = 0; n < 10; n += 1) limiter.speedUp();
    expect(limiter.pace).toBeCloseTo(4.5);
    for (let n = 0; n < 100; n += 1) limiter.speedUp();
    expect(limiter.pace).toBe(10);
  });

  it('never becomes so slow that nothing moves', async () => {
    const time = virtual();
    const limiter = new RateLimiter(10, time.clock, time.sleep);
    for (let n = 0; n < 50; n += 1) {
      time.set(time.now() + 1);
      limiter.slowDown(time.now(), 0);
    }
    expect(limiter.pace).toBe(10 / 32);
    await limiter.acquire(0);
  });

  it('a pause holds all requests, and one that cannot wait that long gets the length of the pause', async () => {
    const time = virtual();
    const limiter = new RateLimiter(10, time.clock, time.sleep);
    limiter.slowDown(time.now(), 30_000);
    await expect(limiter.acquire(10_000)).rejects.toMatchObject({ code: 'throttled', retryAfterMs: 30_000 });
    expect(await limiter.acquire(30_000)).toMatchObject({ pausedMs: 30_000, startedAtMs: 1_030_000 });
    expect(limiter.pauseMs).toBe(0);
  });

  it('a clock that is set back does not stop the requests', async () => {
    const time = virtual();
    const limiter = new RateLimiter(10, time.clock, time.sleep);
    await limiter.acquire(0);
    time.set(0);
    await limiter.acquire(0);
    expect(time.now()).toBeLessThanOrEqual(3200);
  });

  it('a waiter that is aborted leaves the others their turn', async () => {
    const time = virtual();
    const limiter = new RateLimiter(1, time.clock, time.sleep);
    await limiter.acquire(0);
    const abort = new AbortController();
    abort.abort(new Error('closed'));
    const given = limiter.acquire(0, abort.signal);
    const next = limiter.acquire(0);
    await expect(given).rejects.toThrow('closed');
    await expect(next).resolves.toMatchObject({ pausedMs: 0 });
  });

  it('a ceiling of nothing is a mistake of the configuration', () => {
    const time = virtual();
    expect(() => new RateLimiter(0, time.clock, time.sleep)).toThrow(/requestsPerSecond/);
    expect(() => new RateLimiter(Number.NaN, time.clock, time.sleep)).toThrow(/requestsPerSecond/);
  });
});
