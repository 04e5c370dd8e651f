import { AsyncLocalStorage } from 'node:async_hooks';

/** Requests that one piece of work made to each side. */
export interface RequestTally {
  catalog: number;
  store: number;
}

const current = new AsyncLocalStorage<RequestTally>();

/** Does `work` and adds each request that it makes to `tally`, also while other work uses the same connections. */
export function tallied<T>(tally: RequestTally, work: () => Promise<T>): Promise<T> {
  return current.run(tally, work);
}

/** Counts a request for the work that made it. Does nothing outside of `tallied`. */
export function countRequest(side: keyof RequestTally): void {
  const tally = current.getStore();
  if (tally !== undefined) tally[side] += 1;
}
