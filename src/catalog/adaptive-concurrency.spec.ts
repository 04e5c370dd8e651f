import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AdaptiveConcurrency } from './adaptive-concurrency.js';

const CEILING = 8;

/** Windows of responses. Each response takes `ms(allowed)` milliseconds. */
function answer(
  concurrency: AdaptiveConcurrency,
  windows: number,
  ms: (allowed: number) => number,
  kind = 'update',
): void {
  for (let window = 0; window < windows; window++) {
    const taken = ms(concurrency.allowed);
    for (let each = 0; each < 8; each++) concurrency.took(kind, taken);
  }
}

/** A service that handles two requests at a time, 100 ms each, and makes the others wait. */
const twoAtATime = (allowed: number): number => 100 * Math.max(1, allowed / 2);

describe('the number of concurrent requests', () => {
  it('begins with two and is soon all that are allowed', () => {
    const concurrency = new AdaptiveConcurrency(CEILING);
    expect(concurrency.allowed).toBe(2);
    answer(concurrency, 2, () => 100);
    expect(concurrency.allowed).toBe(CEILING);
    answer(concurrency, 50, () => 100);
    expect(concurrency.allowed).toBe(CEILING);
  });

  it('stays where answers do not wait for one another', () => {
    const concurrency = new AdaptiveConcurrency(CEILING);
    answer(concurrency, 100, twoAtATime);
    const seen: number[] = [];
    answer(concurrency, 100, (allowed) => {
      seen.push(allowed);
      return twoAtATime(allowed);
    });
    expect(Math.max(...seen)).toBeLessThanOrEqual(5);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(2);
  });

  it('is all again once the service has recovered', () => {
    const concurrency = new AdaptiveConcurrency(CEILING);
    answer(concurrency, 20, twoAtATime);
    expect(concurrency.allowed).toBeLessThan(CEILING);
    answer(concurrency, 10, () => 100);
    expect(concurrency.allowed).toBe(CEILING);
  });

  it('is all of a service that is slow however few there are', () => {
    const concurrency = new AdaptiveConcurrency(CEILING);
    answer(concurrency, 10, () => 100);
    answer(concurrency, 1, () => 1_000);
    expect(concurrency.allowed).toBe(6);
    answer(concurrency, 3, () => 1_000);
    expect(concurrency.allowed).toBe(CEILING);
  });

  it('does not mind what takes long by nature, nor milliseconds', () => {
    const concurrency = new AdaptiveConcurrency(CEILING);
    answer(concurrency, 10, () => 5);
    answer(concurrency, 10, () => 3_000, 'upload');
    answer(concurrency, 10, () => 40);
    expect(concurrency.allowed).toBe(CEILING);
  });

  it('is at least one and at most the ceiling, whatever answers take', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 400 }),
        (ceiling, taken) => {
          const concurrency = new AdaptiveConcurrency(ceiling);
          for (const ms of taken) {
            concurrency.took('update', ms);
            expect(concurrency.allowed).toBeGreaterThanOrEqual(1);
            expect(concurrency.allowed).toBeLessThanOrEqual(ceiling);
          }
        },
      ),
    );
  });

  it('is kept to: what is more waits for its turn', async () => {
    const concurrency = new AdaptiveConcurrency(3);
    let underWay = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => concurrency.run(work)));
    expect(most).toBe(2);
    answer(concurrency, 1, () => 100);
    await Promise.all(Array.from({ length: 20 }, () => concurrency.run(work)));
    expect(most).toBe(3);
  });
});
