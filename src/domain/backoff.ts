/** The wait before each retry of outside work: 1, 5 and 30 s, 2, 10 and 30 min, 2 h. After that, a person decides. */
export const RETRY_DELAYS_MS: readonly number[] = [
  1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000,
];

/**
 * Milliseconds to wait after the given number of failed attempts (1 = the first one failed). Jitter chooses between
 * half and all of the step, and the result is never less than the other side requested. Null when no steps are left.
 */
export function retryDelayMs(attempts: number, random: () => number, retryAfterMs = 0): number | null {
  const step = RETRY_DELAYS_MS[attempts - 1];
  if (step === undefined) return null;
  return Math.max(retryAfterMs, Math.round(step / 2 + (step / 2) * random()));
}

/**
 * Milliseconds until the next poll of an open task: `firstSeconds` at first, growing by half each time, at most half
 * an hour.
 */
export function pollDelayMs(polls: number, firstSeconds: number): number {
  return Math.min(firstSeconds * 1000 * 1.5 ** Math.min(polls, 40), Math.max(1_800_000, firstSeconds * 1000));
}
