import { AsyncLocalStorage } from 'node:async_hooks';

const background = new AsyncLocalStorage<true>();

/**
 * Runs `work` with all its requests in the background: of a client's concurrent requests they take half at most, so that the others
 * never wait for many of them.
 */
export function inBackground<T>(work: () => Promise<T>): Promise<T> {
  return background.run(true, work);
}

export function isInBackground(): boolean {
  return background.getStore() === true;
}
