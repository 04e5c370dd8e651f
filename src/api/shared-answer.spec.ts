import { describe, expect, it } from '@jest/globals';
import { sharedAnswer } from './shared-answer.js';

describe('a shared answer', () => {
  it('is worked out once for all who ask within its time, refusals included', async () => {
    const clock = { nowMs: 5_000 };
    let worked = 0;
    const ask = sharedAnswer(
      () => {
        worked += 1;
        return worked === 2 ? Promise.reject(new Error('down')) : Promise.resolve(worked);
      },
      { forMs: 1_000, nowMs: () => clock.nowMs },
    );
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    clock.nowMs += 999;
    expect(await ask()).toBe(1);
    clock.nowMs += 1;
    await expect(ask()).rejects.toThrow('down');
    await expect(ask()).rejects.toThrow('down');
    clock.nowMs += 1_000;
    expect(await ask()).toBe(3);
  });
});
