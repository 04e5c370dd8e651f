import { setTimeout as wait } from 'node:timers/promises';

/** The clock and chance of the stages, handed in so that tests can run them fast or to the same end twice. */
export interface Timing {
  now(): Date;
  random(): number;
  /** Waits; rejects with the signal's reason when it is aborted meanwhile. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const REAL_TIMING: Timing = {
  now: () => new Date(),
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  },
};
