/** Name of the environment variable with the milliseconds by which the clock of a daemon in a test is ahead; negative: behind. */
export const CLOCK_SKEW = 'STORE_SYNC_TEST_CLOCK_SKEW_MS';

/**
 * Moves the clock of this process, as on a machine whose clock is wrong: `new Date()` and `Date.now()` answer other times. Timers
 * and `performance.now()` measure durations and stay right.
 */
export function skewClock(ms: number): void {
  if (ms === 0) return;
  const RealDate = Date;
  const now = (): number => RealDate.now() + ms;
  // A proxy and no subclass: dates that the runtime makes itself stay instances of `Date`.
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[]) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name): unknown => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
