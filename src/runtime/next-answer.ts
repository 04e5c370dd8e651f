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
