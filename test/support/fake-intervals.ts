import { jest } from '@jest/globals';

/** Lets a test pass the time of intervals, such as heartbeats, with `jest.advanceTimersByTime`. Everything else keeps the real time. */
export function fakeIntervals(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
}
