import { AsyncLocalStorage } from 'node:async_hooks';

/** Requests that one piece of work made to each side. */
export interface RequestTally {
  catalog: number;
  store: number;
  /** When the last answer came, in milliseconds of the process's monotonic clock; at first, when the work began. */
  answeredAtMs: number;
}

/** A tally of work that begins now. `before`: requests of earlier attempts. */
export function beginTally(
  before: { readonly catalog?: number; readonly store?: number } = {},
): RequestTally {
  return { catalog: before.catalog ?? 0, store: before.store ?? 0, answeredAtMs: performance.now() };
}

const current = new AsyncLocalStorage<RequestTally>();

/** Does `work` and adds each request that it makes to `tally`, also while other work uses the same connections. */
export function tallied<T>(tally: RequestTally, work: () => Promise<T>): Promise<T> {
  return current.run(tally, work);
}

/** Counts a request for the work that made it. `answered`: a response came. Does nothing outside of `tallied`. */
export function countRequest(side: 'catalog' | 'store', answered: boolean): void {
  const tally = current.getStore();
  if (tally === undefined) return;
  tally[side] += 1;
  if (answered) tally.answeredAtMs = performance.now();
}
