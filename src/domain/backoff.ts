/** The wait before each further try of outside work: 1, 5, 30 s, 2, 10, 30 min, 2 h; then it is left to people. */
export const RETRY_DELAYS_MS: readonly number[] = [
  1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000,
];

/**
 * Milliseconds to wait after the given number of failed attempts (1 = the first one failed), full jitter between half and
 * all of the step; never less than what the other side asked for. Null when the steps are used up.
 */
export function retryDelayMs(attempts: number, random: () => number, retryAfterMs = 0): number | null {
  const step = RETRY_DELAYS_MS[attempts - 1];
  if (step === undefined) return null;
  return Math.max(retryAfterMs, Math.round(step / 2 + (step / 2) * random()));
}

/** Poll times of an open task: the given seconds at first, growing by half each time, at most half an hour apart. */
export function pollDelayMs(polls: number, firstSeconds: number): number {
  return Math.min(firstSeconds * 1000 * 1.5 ** Math.min(polls, 40), Math.max(1_800_000, firstSeconds * 1000));
}
