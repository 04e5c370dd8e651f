import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pollDelayMs, RETRY_DELAYS_MS, retryDelayMs } from './backoff.js';

describe('retryDelayMs', () => {
  it.each(RETRY_DELAYS_MS.map((step, index) => [index + 1, step] as const))(
    'after %i failures waits between half and all of %i ms',
    (attempts, step) => {
      expect(retryDelayMs(attempts, () => 0)).toBe(step / 2);
      expect(retryDelayMs(attempts, () => 1)).toBe(step);
      expect(retryDelayMs(attempts, () => 0.5)).toBe(step * 0.75);
    },
  );

  it('grows with every step', () => {
    expect([...RETRY_DELAYS_MS].sort((left, right) => left - right)).toEqual(RETRY_DELAYS_MS);
  });

  it('leaves it to people once the steps are used up, whatever the other side asks for', () => {
    expect(retryDelayMs(RETRY_DELAYS_MS.length + 1, () => 0)).toBeNull();
    expect(retryDelayMs(RETRY_DELAYS_MS.length + 1, () => 0, 60_000)).toBeNull();
    expect(retryDelayMs(1_000, () => 0)).toBeNull();
  });

  it('before a first failure has no step', () => {
    expect(retryDelayMs(0, () => 0)).toBeNull();
  });

  it('never comes back sooner than the other side asked for', () => {
    expect(retryDelayMs(1, () => 1, 90_000)).toBe(90_000);
    expect(retryDelayMs(5, () => 1, 90_000)).toBe(600_000);
  });

  it('is a whole number of milliseconds within the step, for any random number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: RETRY_DELAYS_MS.length }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, random) => {
          const delay = retryDelayMs(attempts, () => random);
          const step = RETRY_DELAYS_MS[attempts - 1] ?? Number.NaN;
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(step / 2);
          expect(delay).toBeLessThanOrEqual(step);
        },
      ),
    );
  });
});

describe('pollDelayMs', () => {
  it.each([
    [0, 60_000],
    [1, 90_000],
    [2, 135_000],
    [9, 1_800_000],
    [1_000_000, 1_800_000],
  ])('of a minute at first, after %i polls is %i ms', (polls, delay) => {
    expect(pollDelayMs(polls, 60)).toBe(delay);
  });

  it('stays at a first interval longer than half an hour', () => {
    expect([0, 1, 50].map((polls) => pollDelayMs(polls, 3600))).toEqual([3_600_000, 3_600_000, 3_600_000]);
  });

  it('never shrinks as polls go on', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 7200 }), (polls, seconds) => {
        expect(pollDelayMs(polls + 1, seconds)).toBeGreaterThanOrEqual(pollDelayMs(polls, seconds));
      }),
    );
  });
});
