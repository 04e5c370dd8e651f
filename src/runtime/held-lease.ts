/** How long a row that a dead worker held waits for the next one. Renewed three times within it. */
export const ROW_LEASE_MS = 20_000;
const RENEW_MS = 6_000;

/**
 * Does `work` while `renew` keeps its lease alive, so that the lease can be short (a worker that died is replaced soon) although the work
 * may take long. A renewal that fails is tried again at the next beat. `renew` is false when the lease was lost: then the signal is aborted,
 * and what the work still writes is stopped by its own guarded updates.
 */
export async function whileHeld<T>(
  renew: () => Promise<boolean>,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const beat = setInterval(() => {
    renew().then(
      (kept) => {
        if (!kept) lost.abort();
      },
      (error: unknown) => error,
    );
  }, RENEW_MS);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(beat);
  }
}
