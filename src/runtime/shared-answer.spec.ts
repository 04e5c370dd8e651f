import { describe, expect, it } from '@jest/globals';
import { nextAnswer, sharedAnswer } from './shared-answer.js';

it('a shared answer is worked out once for all who ask within its time, refusals included', async () => {
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

describe('the next answer', () => {
  it('is made for all who ask during the one before it, and is never older than the question', async () => {
    const ends: ((value: number) => void)[] = [];
    const ask = nextAnswer(() => new Promise<number>((resolve) => ends.push(resolve)));
    const first = ask();
    await Promise.resolve();
    const [second, third] = [ask(), ask()];
    expect([ends.length, second]).toEqual([1, third]);
    ends[0]?.(1);
    expect(await first).toBe(1);
    ends[1]?.(2);
    expect(await Promise.all([second, third])).toEqual([2, 2]);
  });

  it('follows one that failed', async () => {
    let made = 0;
    const ask = nextAnswer(() => {
      made += 1;
      return made === 1 ? Promise.reject(new Error('down')) : Promise.resolve(made);
    });
    await expect(ask()).rejects.toThrow('down');
    expect(await ask()).toBe(2);
  });
});
