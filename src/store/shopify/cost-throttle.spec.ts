import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type BucketStatus, CostThrottle } from './cost-throttle.js';

/** Time that passes only when all tasks wait. */
class VirtualTime {
  now = 0;
  private readonly waiting: { at: number; wake: () => void }[] = [];

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const entry = { at: this.now + ms, wake: resolve };
      this.waiting.push(entry);
      signal?.addEventListener('abort', () => {
        if (this.waiting.includes(entry)) this.waiting.splice(this.waiting.indexOf(entry), 1);
        resolve();
      });
    });

  async run(work: Promise<unknown>): Promise<void> {
    const state = { done: false };
    const mark = (): void => {
      state.done = true;
    };
    work.then(mark, mark);
    for (;;) {
      await turn();
      if (state.done) break;
      this.waiting.sort((one, other) => one.at - other.at);
      const next = this.waiting.shift();
      if (next === undefined) throw new Error('everything waits for nothing');
      this.now = next.at;
      next.wake();
    }
    await work;
  }
}

/** The store's side of the bucket. */
class StoreBucket {
  throttled = 0;
  spent = 0;
  private level: number;
  private at = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly maximum: number,
    private readonly rate: number,
  ) {
    this.level = maximum;
  }

  take(requested: number, actual: number): { status: BucketStatus; actual: number | null } {
    this.level = Math.min(this.maximum, this.level + ((this.time.now - this.at) * this.rate) / 1000);
    this.at = this.time.now;
    const refused = this.level < requested;
    if (refused) this.throttled++;
    else {
      this.level -= actual;
      this.spent += actual;
    }
    const status = {
      maximumAvailable: this.maximum,
      currentlyAvailable: Math.floor(this.level),
      restoreRate: this.rate,
    };
    return { status, actual: refused ? null : actual };
  }
}

interface Load {
  readonly callers: number;
  readonly calls: number;
  readonly requested: number;
  readonly actual: number;
}

/** Runs many callers with calls of uneven duration. Returns the used share of the restore rate. */
async function share(load: Load, maximum = 2_000, rate = 100): Promise<{ used: number; throttled: number }> {
  const time = new VirtualTime();
  const bucket = new StoreBucket(time, maximum, rate);
  const throttle = new CostThrottle(() => time.now, time.sleep);
  let left = load.calls;
  const caller = async (number: number): Promise<void> => {
    while (left > 0) {
      const call = left--;
      const admission = await throttle.admit(load.requested);
      await time.sleep(20 + ((call * 37 + number * 53) % 60));
      const { status, actual } = bucket.take(load.requested, load.actual);
      await time.sleep(20 + ((call * 29 + number * 71) % 160));
      throttle.settle(admission, status, actual);
    }
  };
  await time.run(Promise.all(Array.from({ length: load.callers }, (_, number) => caller(number))));
  const offered = maximum + (rate * time.now) / 1000;
  return { used: bucket.spent / offered, throttled: bucket.throttled };
}

describe('CostThrottle', () => {
  it.each<[string, Load, number?, number?]>([
    ['small calls', { callers: 8, calls: 2_000, requested: 11, actual: 10 }],
    ['dear calls with a refund', { callers: 4, calls: 400, requested: 300, actual: 90 }],
    ['one caller', { callers: 1, calls: 100, requested: 400, actual: 400 }],
    ['many callers', { callers: 40, calls: 2_000, requested: 11, actual: 10 }],
    ['a larger bucket', { callers: 8, calls: 2_000, requested: 50, actual: 50 }, 20_000, 1_000],
  ])('uses at least 95 %% of what the bucket gives, and is never THROTTLED: %s', async (_name, ...given) => {
    const { used, throttled } = await share(...given);
    expect(throttled).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.95);
  });

  it('lets one call go ahead until the bucket is known', async () => {
    const time = new VirtualTime();
    const throttle = new CostThrottle(() => time.now, time.sleep);
    const first = await throttle.admit(10);
    let second = false;
    const later = throttle.admit(10).then(() => (second = true));
    await turn();
    expect(second).toBe(false);
    throttle.settle(first, { maximumAvailable: 100, currentlyAvailable: 90, restoreRate: 10 }, 10);
    await later;
  });

  it('lets the next go ahead when the first brought no answer', async () => {
    const time = new VirtualTime();
    const throttle = new CostThrottle(() => time.now, time.sleep);
    throttle.settle(await throttle.admit(10), null, null);
    await expect(throttle.admit(10)).resolves.toMatchObject({ cost: 10 });
  });

  it('lets a call that is dearer than the whole bucket through once it is full', async () => {
    const time = new VirtualTime();
    const throttle = new CostThrottle(() => time.now, time.sleep);
    throttle.settle(
      await throttle.admit(10),
      { maximumAvailable: 100, currentlyAvailable: 50, restoreRate: 10 },
      50,
    );
    await time.run(throttle.admit(500));
    expect(time.now).toBe(5_000);
  });

  it('lets nothing through while the store asks for silence', async () => {
    const time = new VirtualTime();
    const throttle = new CostThrottle(() => time.now, time.sleep);
    throttle.pause(3_000);
    await time.run(throttle.admit(1));
    expect(time.now).toBe(3_000);
  });
});
