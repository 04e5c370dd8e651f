import type { CreditDay } from '../persistence/credit.repository.js';

const DAY_MS = 86_400_000;
/** Days over which spending is compared. */
export const CREDIT_DAYS = 30;
/** Fewer days with results give no forecast. */
const LEAST_DAYS = 7;

/** The spending of a workspace on content. */
export interface CreditOutlook {
  /** The figure that the service reported last; null before its first report. */
  readonly remaining: number | null;
  /** The mean of the days since the first result, at most of thirty; null while no result has named its credits. */
  readonly perDay: number | null;
  /** Null while it is not known, and in the first week of results. */
  readonly daysLeft: number | null;
  /** The day on which no credits are left at this rate. */
  readonly runsOutOn: string | null;
  /** Thirty days, oldest first; the last one is today. */
  readonly days: readonly { readonly day: string; readonly credits: number }[];
}

/** The last `count` days in UTC as `2026-11-22`, oldest first; the last one is that of `now`. Pure. */
export function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_unused, index) =>
    new Date(now.getTime() - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The rate at which credits are spent, and how long they last. Pure. */
export function creditOutlook(
  remaining: number | null,
  spent: readonly CreditDay[],
  now: Date,
): CreditOutlook {
  const byDay = new Map(spent.map(({ day, credits }) => [day, credits]));
  const days = lastDays(now, CREDIT_DAYS).map((day) => ({ day, credits: byDay.get(day) ?? 0 }));
  const first = days.findIndex(({ credits }) => credits > 0);
  if (first === -1) return { remaining, perDay: null, daysLeft: null, runsOutOn: null, days };
  const since = days.slice(first);
  const perDay = since.reduce((sum, { credits }) => sum + credits, 0) / since.length;
  if (remaining === null) return { remaining, perDay, daysLeft: null, runsOutOn: null, days };
  // A few days say nothing about the days to come: the first load alone may be ten times as dear.
  if (since.length < LEAST_DAYS) return { remaining, perDay, daysLeft: null, runsOutOn: null, days };
  const daysLeft = Math.max(0, remaining) / perDay;
  // Beyond some thousand years no date can be written.
  const runsOut = new Date(now.getTime() + Math.min(daysLeft, 1e6) * DAY_MS);
  return { remaining, perDay, daysLeft, runsOutOn: runsOut.toISOString().slice(0, 10), days };
}
