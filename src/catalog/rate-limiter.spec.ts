import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OwnRate } from './own-rate.js';
import { RateLimiter, type Sleep } from './rate-limiter.js';

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

function limiterOf(perSecond: number, time: ReturnType<typeof virtual>, sleep: Sleep = time.sleep) {
  return new RateLimiter(new OwnRate(perSecond, time.clock), time.clock, sleep);
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
          const limiter = limiterOf(perSecond, time, (ms) => time.sleep(ms + lateMs));
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
    const at = await starts(limiterOf(10, time), 101);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(9900);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeLessThanOrEqual(10_100);
  });

  it('lets what comes together start together, as far as the last twentieth of a second was not used', async () => {
    const time = virtual();
    const limiter = limiterOf(200, time);
    const at = await starts(limiter, 14);
    const [first = 0] = at;
    expect(at.filter((ms) => ms === first)).toHaveLength(11);
    expect(at.slice(11).map((ms) => ms - first)).toEqual([5, 10, 15]);
  });

  it('serves in the order of asking', async () => {
    const time = virtual();
    const limiter = limiterOf(10, time);
    const order: number[] = [];
    await Promise.all([1, 2, 3].map(async (n) => limiter.acquire(0).then(() => order.push(n))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('a request that waits for its start sees the refusal of another one', async () => {
    const time = virtual();
    let refuse: (() => Promise<void>) | undefined;
    const limiter = limiterOf(10, time, async (ms) => {
      await time.sleep(ms);
      const now = refuse;
      refuse = undefined;
      await now?.();
    });
    await starts(limiter, 1);
    refuse = () => limiter.slowDown(time.now(), 5_000);
    expect(await limiter.acquire(10_000)).toMatchObject({ pausedMs: 5_000 });
  });

  it('a pause holds all requests, and one that cannot wait that long gets the length of the pause', async () => {
    const time = virtual();
    const limiter = limiterOf(10, time);
    await limiter.slowDown(time.now(), 30_000);
    await expect(limiter.acquire(10_000)).rejects.toMatchObject({ code: 'throttled', retryAfterMs: 30_000 });
    expect(await limiter.acquire(30_000)).toMatchObject({ pausedMs: 30_000, startedAtMs: 1_030_000 });
    expect(limiter.pauseMs).toBe(0);
  });

  it('a clock that is set back does not stop the requests', async () => {
    const time = virtual();
    const limiter = limiterOf(10, time);
    await limiter.acquire(0);
    time.set(0);
    await limiter.acquire(0);
    expect(time.now()).toBeLessThanOrEqual(3200);
  });

  it('a waiter that is aborted leaves the others their turn', async () => {
    const time = virtual();
    const limiter = limiterOf(1, time);
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
    expect(() => limiterOf(0, time)).toThrow(/requestsPerSecond/);
    expect(() => limiterOf(Number.NaN, time)).toThrow(/requestsPerSecond/);
  });
});
