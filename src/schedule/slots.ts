import { CronTime } from 'cron';

/** How far back a missed tick is caught up: a night's restart, not a week's holiday. */
export const CATCH_UP_MS = 6 * 3_600_000;
/** The most ticks of one search: a schedule of one minute over the catch-up window. */
const MOST_TICKS = 1000;

/**
 * The schedule's latest tick at or before `now`, within the catch-up window; null when there was none. Every replica
 * computes the same time, whenever its timer fired. So a tick becomes one run.
 */
export function latestSlot(cron: string, timezone: string, now: Date): Date | null {
  const key = `${cron}\n${timezone}\n${String(now.getTime())}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const slot = searchedSlot(cron, timezone, now);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, slot);
  return slot;
}

/** A search costs about a millisecond, and at a start a thousand stores ask for the same schedule at the same time. */
const remembered = new Map<string, Date | null>();
const MOST_REMEMBERED = 100;

function searchedSlot(cron: string, timezone: string, now: Date): Date | null {
  const time = new CronTime(cron, timezone);
  // The whole window is searched only when the short search finds nothing. Ticks may be close together with long
  // pauses.
  for (const backMs of [searchBackMs(time, now), CATCH_UP_MS]) {
    const slot = latestTick(time, timezone, new Date(now.getTime() - backMs), now);
    if (slot !== null) return slot;
  }
  return null;
}

/** The last tick after `from` and not after `now`. */
function latestTick(time: CronTime, timezone: string, from: Date, now: Date): Date | null {
  let latest: Date | null = null;
  for (let count = 0; count < MOST_TICKS; count += 1) {
    const next = time.getNextDateFrom(latest ?? from, timezone).toJSDate();
    if (next.getTime() > now.getTime()) return latest;
    latest = next;
  }
  return latest;
}

/**
 * A schedule of seconds or minutes needs only a short search. A schedule of hours or days needs the whole window:
 * within an hour that the clocks repeat, a short search would find another time for the first pass.
 */
function searchBackMs(time: CronTime, now: Date): number {
  const first = time.getNextDateFrom(now).toJSDate();
  const second = time.getNextDateFrom(first).toJSDate();
  return Math.min(Math.max((second.getTime() - first.getTime()) * 3, 5_000), CATCH_UP_MS);
}
