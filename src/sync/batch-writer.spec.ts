import { describe, expect, it } from '@jest/globals';
import { BatchWriter } from './batch-writer.js';

/** Work that records its items, and fails when `bad` is among them. */
function recorder() {
  const given: (readonly string[])[] = [];
  const together = new BatchWriter<string>((items) => {
    given.push(items);
    return items.includes('bad') ? Promise.reject(new Error('no such row')) : Promise.resolve();
  }, 1);
  return { given, together };
}

describe('work asked for within moments', () => {
  it('is done together, in order, and what comes later by itself', async () => {
    const { given, together } = recorder();
    await Promise.all(['one', 'two', 'three'].map((item) => together.do(item)));
    await together.do('four');
    expect(given).toEqual([['one', 'two', 'three'], ['four']]);
  });

  it('that fails is done one by one, and each gets its own error', async () => {
    const { given, together } = recorder();
    const outcomes = await Promise.allSettled(['one', 'bad', 'three'].map((item) => together.do(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(given).toEqual([['one', 'bad', 'three'], ['one'], ['bad'], ['three']]);
  });

  it('that fails alone is not repeated', async () => {
    const { given, together } = recorder();
    await expect(together.do('bad')).rejects.toThrow('no such row');
    expect(given).toEqual([['bad']]);
  });
});
