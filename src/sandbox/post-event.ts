import { postOnce } from './post-once.js';

const TIMEOUT_MS = 5_000;

/** One delivery of a shop's event. Answers the status; null for a receiver that is not there or too slow, which is a normal outcome here. */
export async function postEvent(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  stopping: AbortSignal,
): Promise<number | null> {
  return postOnce(url, headers, body, TIMEOUT_MS, stopping).catch(() => null);
}
