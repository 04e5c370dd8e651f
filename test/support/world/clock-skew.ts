import { replaceNow } from './other-now.mjs';

/** Name of the environment variable with the milliseconds by which the clock of a daemon in a test is ahead; negative: behind. */
export const CLOCK_SKEW = 'STORE_SYNC_TEST_CLOCK_SKEW_MS';

/** Moves the clock of this process, as on a machine whose clock is wrong. Timers stay right. */
export function skewClock(ms: number): void {
  if (ms === 0) return;
  const { now } = Date;
  replaceNow(() => now() + ms);
}
