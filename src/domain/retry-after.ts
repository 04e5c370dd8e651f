/** The longest accepted wait. A longer one is a mistake or an attack. */
export const RETRY_AFTER_CAP_MS = 3_600_000;

/**
 * The wait of a Retry-After header in milliseconds, from seconds or an HTTP date. Between zero and one hour;
 * undefined when the header is absent or unreadable.
 */
export function parseRetryAfterMs(header: string | undefined, now: Date): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Math.ceil(Number(value) * 1000), RETRY_AFTER_CAP_MS);
  // Only a text that looks like a date is parsed, because Date.parse reads "-5" as a year.
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now.getTime(), 0), RETRY_AFTER_CAP_MS);
}
