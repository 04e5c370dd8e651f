/**
 * A function that does the work at most once in `forMs` milliseconds: everyone who asks meanwhile gets the same promise.
 * `nowMs` is a monotonic clock.
 */
export function sharedAnswer<T>(
  work: () => Promise<T>,
  { forMs, nowMs }: { readonly forMs: number; readonly nowMs: () => number },
): () => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
  return () => {
    const now = nowMs();
    if (last === null || now - last.atMs >= forMs) last = { atMs: now, answer: work() };
    return last.answer;
  };
}
