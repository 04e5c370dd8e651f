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
  if (hasFixedHours(cron) && clocksChange(timezone, now)) {
    const slot = slotByWallClock(cron, timezone, now);
    if (slot !== 'too many ticks') return slot;
  }
  const time = new CronTime(cron, timezone);
  // The whole window is searched only when the short search finds nothing. Ticks may be close together with long
  // pauses.
  for (const backMs of [searchBackMs(time, now), CATCH_UP_MS]) {
    const slot = latestTick(time, timezone, new Date(now.getTime() - backMs), now);
    if (slot !== null) return slot;
  }
  return null;
}

/** False for a schedule of every hour, which goes by elapsed time when the clocks change. */
function hasFixedHours(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const hours = fields.at(fields.length === 6 ? 2 : 1);
  return hours !== undefined && !['*', '*/1', '0-23'].includes(hours);
}

function clocksChange(timezone: string, now: Date): boolean {
  const before = now.getTime() - CATCH_UP_MS - WALL_MARGIN_MS;
  return offsetMs(timezone, before) !== offsetMs(timezone, now.getTime() + WALL_MARGIN_MS);
}

/** No clock is changed by more. */
const WALL_MARGIN_MS = 2 * 3_600_000;

/**
 * The same around a change of the clocks. The schedule's times are those of a clock on the wall, and each of them is one moment: the
 * first one when the clocks repeat it, and the change itself when the clocks leave it out. So a time of day is one run a day.
 */
function slotByWallClock(cron: string, timezone: string, now: Date): Date | null | 'too many ticks' {
  const time = new CronTime(cron, 'UTC');
  const wallNow = now.getTime() + offsetMs(timezone, now.getTime());
  let wall = new Date(wallNow - CATCH_UP_MS - WALL_MARGIN_MS);
  let latest: number | null = null;
  for (let count = 0; count < MOST_TICKS; count += 1) {
    wall = time.getNextDateFrom(wall, 'UTC').toJSDate();
    if (wall.getTime() > wallNow + WALL_MARGIN_MS) return latest === null ? null : new Date(latest);
    const moment = momentOf(timezone, wall.getTime());
    const isInWindow = moment <= now.getTime() && moment > now.getTime() - CATCH_UP_MS;
    if (isInWindow && moment > (latest ?? 0)) latest = moment;
  }
  return 'too many ticks';
}

/** The moment when the clock on the wall shows the time, which is given as if it were UTC. */
function momentOf(timezone: string, wallMs: number): number {
  const offsets = [-1, 1].map((side) => offsetMs(timezone, wallMs + side * 24 * 3_600_000));
  const shown = offsets.map((offset) => wallMs - offset).sort((left, right) => left - right);
  const first = shown.find((moment) => moment + offsetMs(timezone, moment) === wallMs);
  if (first !== undefined) return first;
  // The clocks leave it out: the change lies between the two.
  let [low = 0, high = 0] = shown;
  const offsetBefore = offsetMs(timezone, low);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(timezone, middle) === offsetBefore) low = middle;
    else high = middle;
  }
  return high;
}

/** How far the local time is ahead of UTC. */
function offsetMs(timezone: string, moment: number): number {
  const parts = formatOf(timezone).formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((each) => each.type === type)?.value ?? 0);
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return wall - Math.floor(moment / 1000) * 1000;
}

/** A format takes long to make, and there are few timezones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timezone, format);
  return format;
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
