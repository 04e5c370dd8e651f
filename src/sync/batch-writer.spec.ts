import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { BatchWriter } from './batch-writer.js';

/** Work that records its items, and fails when `bad` is among them. */
function recorder() {
  const given: (readonly string[])[] = [];
  const together = new BatchWriter<string>((items) => {
    given.push(items);
    return items.includes('bad') ? Promise.reject(new Error('no such row')) : Promise.resolve();
  });
  return { given, together };
}

const SOON = { withinMs: 1, most: 10 };
const LATER = { withinMs: 60, most: 10 };

afterEach(() => {
  jest.useRealTimers();
});

describe('work asked for within moments', () => {
  it('is done together, in order, and what comes later by itself', async () => {
    const { given, together } = recorder();
    await Promise.all(['one', 'two', 'three'].map((item) => together.do(item, SOON)));
    await together.do('four', SOON);
    expect(given).toEqual([['one', 'two', 'three'], ['four']]);
  });

  it('is done within the shortest time that one of them allows', async () => {
    jest.useFakeTimers();
    const { given, together } = recorder();
    const done = [
      together.do('one', LATER),
      together.do('two', { ...LATER, withinMs: 10 }),
      together.do('three', LATER),
    ];
    jest.advanceTimersByTime(9);
    expect(given).toEqual([]);
    jest.advanceTimersByTime(1);
    await Promise.all(done);
    expect(given).toEqual([['one', 'two', 'three']]);
    const later = together.do('four', LATER);
    jest.advanceTimersByTime(59);
    expect(given).toHaveLength(1);
    jest.advanceTimersByTime(1);
    await later;
    expect(given).toHaveLength(2);
  });

  it('is done at once when so many wait, and what comes then has all of its time', async () => {
    jest.useFakeTimers();
    const { given, together } = recorder();
    const patience = { ...LATER, most: 2 };
    await Promise.all([together.do('one', patience), together.do('two', patience)]);
    const later = together.do('three', patience);
    jest.advanceTimersByTime(59);
    expect(given).toEqual([['one', 'two']]);
    jest.advanceTimersByTime(1);
    await later;
    expect(given).toEqual([['one', 'two'], ['three']]);
  });

  it('that fails is done one by one, and each gets its own error', async () => {
    const { given, together } = recorder();
    const outcomes = await Promise.allSettled(['one', 'bad', 'three'].map((item) => together.do(item, SOON)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(given).toEqual([['one', 'bad', 'three'], ['one'], ['bad'], ['three']]);
  });

  it('that fails alone is not repeated', async () => {
    const { given, together } = recorder();
    await expect(together.do('bad', SOON)).rejects.toThrow('no such row');
    expect(given).toEqual([['bad']]);
  });
});
