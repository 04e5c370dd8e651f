import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { oneAhead } from './one-ahead.js';

describe('oneAhead', () => {
  it('asks for each item while the one before is processed, and for no more than that', async () => {
    const events: string[] = [];
    async function* source(): AsyncGenerator<number> {
      for (const item of [1, 2, 3]) {
        events.push(`asked for ${String(item)}`);
        await Promise.resolve();
        yield item;
      }
    }
    for await (const item of oneAhead(source())) {
      await sleep(1);
      events.push(`processed ${String(item)}`);
    }
    expect(events).toEqual([
      'asked for 1',
      'asked for 2',
      'processed 1',
      'asked for 3',
      'processed 2',
      'processed 3',
    ]);
  });

  it('throws an error of the source in place of its item, and leaves no unhandled rejection before', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    async function* source(): AsyncGenerator<number> {
      yield await Promise.resolve(1);
      throw new Error('the second page is away');
    }
    const processed: number[] = [];
    const reading = (async () => {
      for await (const item of oneAhead(source())) {
        await sleep(5);
        processed.push(item);
      }
    })();
    await expect(reading).rejects.toThrow('the second page is away');
    process.off('unhandledRejection', listener);
    expect(processed).toEqual([1]);
    expect(unhandled).toEqual([]);
  });

  it('closes the source when the consumer stops early', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<number> {
      try {
        for (let item = 1; ; item += 1) yield await Promise.resolve(item);
      } finally {
        isClosed = true;
      }
    }
    for await (const item of oneAhead(source())) if (item === 2) break;
    expect(isClosed).toBe(true);
  });
});
