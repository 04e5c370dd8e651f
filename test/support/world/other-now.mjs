/**
 * Replaces the present of this process: `new Date()` and `Date.now()` answer what `now` says, in milliseconds since the epoch. Timers and
 * `performance.now()` measure durations and stay as they are.
 */
export function replaceNow(now) {
  const RealDate = Date;
  // A proxy and no subclass: dates that the runtime makes itself stay instances of `Date`.
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
