import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { type GrantedSlots, type SharedPace, SharedRateLimiter } from './shared-rate-limiter.js';

const START_MS = 1_000_000;

/** A clock that passes only while somebody sleeps, and a shared pace that grants slots by it. */
function virtual(perSecond: number, creditMs = 50) {
  const intervalMs = 1000 / perSecond;
  let nowMs = START_MS;
  let nextMs = Number.NEGATIVE_INFINITY;
  const time = {
    now: () => nowMs,
    clock: () => new Date(nowMs),
    sleep: async (ms: number) => {
      nowMs += ms;
      await Promise.resolve();
    },
    /** How many slots each call of `take` wanted. */
    taken: [] as number[],
    faults: [] as unknown[],
  };
  const shared: SharedPace = {
    take: (wanted) => {
      time.taken.push(wanted);
      const at = Math.max(nextMs, nowMs - creditMs);
      nextMs = at + wanted * intervalMs;
      return Promise.resolve({ slots: wanted, startsInMs: at - nowMs, intervalMs, pausedForMs: 0 });
    },
    slowDown: () => Promise.resolve(),
  };
  const process = (pace = shared) =>
    new SharedRateLimiter(perSecond, time.clock, time.sleep, pace, (error) => time.faults.push(error));
  return { time, shared, process };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => false), setImmediate(true)]);
}

describe('SharedRateLimiter', () => {
  it('starts no more than double the ceiling in any one second, whatever each process leaves unused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 50, max: 1000 })),
        fc.array(
          fc.tuple(fc.nat({ max: 2 }), fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 150 })),
          { maxLength: 8 },
        ),
        async (perSecond, bursts) => {
          const { time, process } = virtual(perSecond);
          const processes = [process(), process(), process()];
          const at: number[] = [];
          for (const [which, idleMs, count] of bursts) {
            await time.sleep(idleMs);
            for (let each = 0; each < count; each += 1) {
              at.push((await processes[which]?.acquire(Infinity))?.startedAtMs ?? 0);
              await setImmediate();
            }
          }
          expect(time.faults).toEqual([]);
          for (const from of at)
            expect(at.filter((ms) => ms >= from && ms < from + 1000).length).toBeLessThanOrEqual(
              Math.max(2 * perSecond, 2),
            );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('takes some fifteen slots at a time where it uses few of many', async () => {
    const { time, process } = virtual(2_000);
    const limiter = process();
    for (let each = 0; each < 2_000; each += 1) {
      await limiter.acquire(Infinity);
      await setImmediate();
      await time.sleep(4);
    }
    expect(time.taken.length).toBeLessThan(200);
    // The other processes of the workspace lose every slot that it takes and leaves unused.
    expect(time.taken.reduce((sum, wanted) => sum + wanted, 0)).toBeLessThan(6_000);
  });

  it('takes the next slots before the last ones are used, so that a request need not wait for the database', async () => {
    const { time, shared, process } = virtual(2_000);
    const answers: (() => void)[] = [];
    let held = false;
    const limiter = process({
      ...shared,
      take: async (wanted, served) => {
        const granted = await shared.take(wanted, served);
        if (held) await new Promise<void>((resolve) => answers.push(resolve));
        return granted;
      },
    });
    for (let each = 0; each < 200; each += 1) await acquireLater();
    held = true;
    while (answers.length === 0) await acquireLater();
    const before = time.now();
    // The database has not answered yet.
    await limiter.acquire(Infinity);
    expect(time.now()).toBe(before);
    for (const answer of answers) answer();
    expect(time.faults).toEqual([]);

    async function acquireLater(): Promise<void> {
      await setImmediate();
      await time.sleep(1);
      await limiter.acquire(Infinity);
    }
  });

  it.each([
    { gapMs: 34, perSecond: 2_000 },
    { gapMs: 20, perSecond: 2_000 },
    { gapMs: 45, perSecond: 100 },
    { gapMs: 4, perSecond: 1_000 },
  ])(
    'keeps no request waiting for the database where one follows another after $gapMs ms, at $perSecond a second',
    async ({ gapMs, perSecond }) => {
      const { time, shared, process } = virtual(perSecond);
      let answers: (() => void)[] = [];
      const limiter = process({
        ...shared,
        take: async (wanted, served) => {
          const granted = await shared.take(wanted, served);
          await new Promise<void>((resolve) => answers.push(resolve));
          return granted;
        },
      });
      const waited: number[] = [];
      for (let each = 0; each < 100; each += 1) {
        // The database answers while a request is under way.
        await setImmediate();
        await time.sleep(gapMs);
        await answer();
        const acquired = limiter.acquire(Infinity).then(() => true);
        if (await isPending(acquired)) waited.push(each);
        while (await isPending(acquired)) await answer();
      }
      await setImmediate();
      await answer();
      expect(time.faults).toEqual([]);
      // How often it uses slots is not known before.
      expect(waited.filter((each) => each > 4)).toEqual([]);
      // One each, and what it took while it was finding out.
      expect(time.taken.reduce((sum, wanted) => sum + wanted, 0)).toBeLessThan(200 * Math.max(1, 20 / gapMs));

      async function answer(): Promise<void> {
        for (const each of answers) each();
        answers = [];
        await setImmediate();
      }
    },
  );

  it('takes no slots ahead after a single request', async () => {
    const { time, process } = virtual(10);
    const limiter = process();
    await limiter.acquire(Infinity);
    await time.sleep(1_000);
    await limiter.acquire(Infinity);
    expect(time.taken).toEqual([1, 2]);
  });

  it('uses no slot that was asked for before a refusal', async () => {
    const { time, process } = virtual(10);
    const asked: ((granted: GrantedSlots) => void)[] = [];
    const limiter = process({
      take: () => new Promise((resolve) => asked.push(resolve)),
      slowDown: () => Promise.resolve(),
    });
    const turn = limiter.acquire(Infinity);
    await Promise.resolve();
    limiter.slowDown(time.now(), 2_000);
    asked[0]?.({ slots: 4, startsInMs: 0, intervalMs: 100, pausedForMs: 0 });
    while (asked.length < 2) await Promise.resolve();
    asked[1]?.({ slots: 1, startsInMs: 300, intervalMs: 200, pausedForMs: 0 });
    expect((await turn).startedAtMs).toBe(START_MS + 2_300);
  });
});
