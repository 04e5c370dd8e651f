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

afterEach(() => {
  jest.useRealTimers();
});

describe('work asked for within moments', () => {
  it('is done together, in order, and what comes later by itself', async () => {
    const { given, together } = recorder();
    await Promise.all(['one', 'two', 'three'].map((item) => together.do(item, 1)));
    await together.do('four', 1);
    expect(given).toEqual([['one', 'two', 'three'], ['four']]);
  });

  it('is done within the shortest time that one of them allows', async () => {
    jest.useFakeTimers();
    const { given, together } = recorder();
    const done = [together.do('one', 60), together.do('two', 10), together.do('three', 60)];
    jest.advanceTimersByTime(9);
    expect(given).toEqual([]);
    jest.advanceTimersByTime(1);
    await Promise.all(done);
    expect(given).toEqual([['one', 'two', 'three']]);
    const later = together.do('four', 60);
    jest.advanceTimersByTime(59);
    expect(given).toHaveLength(1);
    jest.advanceTimersByTime(1);
    await later;
    expect(given).toHaveLength(2);
  });

  it('that fails is done one by one, and each gets its own error', async () => {
    const { given, together } = recorder();
    const outcomes = await Promise.allSettled(['one', 'bad', 'three'].map((item) => together.do(item, 1)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(given).toEqual([['one', 'bad', 'three'], ['one'], ['bad'], ['three']]);
  });

  it('that fails alone is not repeated', async () => {
    const { given, together } = recorder();
    await expect(together.do('bad', 1)).rejects.toThrow('no such row');
    expect(given).toEqual([['bad']]);
  });
});
