/** The longest wait that is believed; what asks for more is a mistake or an attack. */
export const RETRY_AFTER_CAP_MS = 3_600_000;

/**
 * Milliseconds to wait by a Retry-After header, in either of its forms: whole seconds, or an HTTP date. At most one hour, at
 * least zero; undefined when there is no header or it says nothing that can be read.
 */
export function parseRetryAfterMs(header: string | undefined, now: Date): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Math.ceil(Number(value) * 1000), RETRY_AFTER_CAP_MS);
  // Only what looks like a date is given to Date.parse, which reads "-5" as a year.
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now.getTime(), 0), RETRY_AFTER_CAP_MS);
}
