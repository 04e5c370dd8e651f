import { setTimeout as wait } from 'node:timers/promises';

/** Time and chance for the stages. Injected, so that a test can run them fast, or twice to the same end. */
export abstract class Clock {
  abstract now(): Date;
  /** From 0 up to 1. */
  abstract random(): number;
  /** Waits `ms` milliseconds; rejects with the signal's reason when the signal is aborted first. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => new Date(),
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  },
};
