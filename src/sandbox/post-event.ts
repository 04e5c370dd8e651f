const TIMEOUT_MS = 5_000;

/** One delivery of a shop's event. Answers the status; null for a receiver that is not there or too slow, which is a normal outcome here. */
export async function postEvent(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  stopping: AbortSignal,
): Promise<number | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}
