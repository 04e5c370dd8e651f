import { describe, expect, it } from '@jest/globals';
import { nextAnswer } from './next-answer.js';

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
