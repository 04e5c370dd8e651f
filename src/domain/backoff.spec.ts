import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BACKOFF, type JitteredBackoff, pollSteps } from './backoff.js';

const no = (): number => 0;
const most = (): number => 1;

const all = Object.entries(BACKOFF);
const jittered = all.filter((entry): entry is [(typeof entry)[0], JitteredBackoff] => 'delayMs' in entry[1]);

it.each(all)('the backoff %s never shortens as failures go on', (_name, { stepsMs, longestMs, stepMs }) => {
  expect(stepsMs.toSorted((left, right) => left - right)).toEqual(stepsMs);
  expect(stepsMs.map((_step, index) => stepMs(index + 1))).toEqual(stepsMs);
  expect(longestMs).toBe(stepsMs.at(-1));
});

describe.each(jittered)('the backoff %s', (_name, backoff) => {
  it('waits a whole number of milliseconds, at most its step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: backoff.stepsMs.length }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const delay = backoff.delayMs(failures, () => random) ?? Number.NaN;
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(backoff.stepsMs[failures - 1] ?? Number.NaN);
        },
      ),
    );
  });

  it('never waits less than the other side requested', () => {
    expect(backoff.delayMs(1, most, 90_000_000)).toBe(90_000_000);
  });
});

describe('the backoff of outside work', () => {
  const { outsideWork } = BACKOFF;

  it('waits 1, 5 and 30 s, 2, 10 and 30 min, and 2 h', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((failures) => outsideWork.delayMs(failures, most))).toEqual([
      1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000,
    ]);
  });

  it.each(outsideWork.stepsMs.map((step, index) => [index + 1, step] as const))(
    'after %i failures waits between half and all of %i ms',
    (failures, step) => {
      expect(outsideWork.delayMs(failures, no)).toBe(step / 2);
      expect(outsideWork.delayMs(failures, () => 0.5)).toBe(step * 0.75);
    },
  );

  it('leaves it to people once the steps are used up, whatever the other side requests', () => {
    expect(outsideWork.delayMs(8, no)).toBeNull();
    expect(outsideWork.delayMs(8, no, 60_000)).toBeNull();
    expect(outsideWork.delayMs(1_000, no)).toBeNull();
  });

  it('takes a request of the other side as the least wait', () => {
    expect(outsideWork.delayMs(1, most, 90_000)).toBe(90_000);
    expect(outsideWork.delayMs(5, most, 90_000)).toBe(600_000);
  });
});

it('an endless backoff grows up to its longest step and stays there', () => {
  const steps = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => BACKOFF.wrongToken.stepMs(failures));
  expect(steps).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

it('a call to the store waits up to the whole step', () => {
  const { storeCall } = BACKOFF;
  expect([storeCall.delayMs(2, no), storeCall.delayMs(2, most)]).toEqual([0, 1_000]);
});

describe('the steps between polls of a task', () => {
  it.each([
    [1, 60_000],
    [2, 90_000],
    [3, 135_000],
    [10, 1_800_000],
    [1_000_000, 1_800_000],
  ])('with a first interval of a minute: step %i is %i ms', (step, ms) => {
    expect(pollSteps(60).stepMs(step)).toBe(ms);
  });

  it('stay at a first interval that is longer than half an hour', () => {
    expect(pollSteps(3600).stepsMs).toEqual([3_600_000]);
  });
});
