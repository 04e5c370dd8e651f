const EVENT_TIMEOUT_MS = 5_000;

/**
 * One POST. Answers the status; a redirect is a status like any other. Rejects when there is none within `timeoutMs`, when the
 * connection fails, or when `signal` aborts.
 */
export async function postOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number> {
  const limit = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method: 'POST',
    // A connection that is kept may be one that the receiver has just closed.
    headers: { ...headers, connection: 'close' },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, limit]),
  }).catch((error: unknown) => {
    throw limit.aborted ? new Error(`No response within ${timeoutMs} ms`) : error;
  });
  await response.body?.cancel();
  return response.status;
}

/** One delivery of a shop's event. Answers the status; null for a receiver that is not there or too slow, which is a normal outcome here. */
export async function postEvent(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  stopping: AbortSignal,
): Promise<number | null> {
  return postOnce(url, headers, body, EVENT_TIMEOUT_MS, stopping).catch(() => null);
}
