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

/**
 * A function that does the work once at a time: everyone who asks while it is done gets the promise of the next time. An answer is thus
 * never older than its question.
 */
export function nextAnswer<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= current.then(() => {
      next = null;
      const answer = work();
      current = answer.catch(() => undefined);
      return answer;
    });
    return next;
  };
}
