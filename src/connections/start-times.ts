import { CronTime } from 'cron';
import type { StoreConfig } from '../config/index.js';
import { fingerprint } from '../domain/fingerprint.js';

type Scheduled = Pick<StoreConfig, 'shop' | 'schedule'>;

/** How many hex digits of a hash fit in a JavaScript number without rounding. */
const EXACT_DIGITS = 12;

/**
 * Milliseconds from a tick of the store's schedule to the start of its run, below `schedule.spread`. A hash of the shop
 * decides, so that every replica and every night has the same.
 */
export function startDelayMs({ shop, schedule }: Scheduled): number {
  if (schedule.spread === 0) return 0;
  return Number.parseInt(fingerprint(shop).slice(0, EXACT_DIGITS), 16) % schedule.spread;
}

/** When the store's next scheduled run starts. */
export function nextStart(store: Scheduled, now: Date): Date {
  const delayMs = startDelayMs(store);
  const { cron, timezone } = store.schedule;
  const tick = new CronTime(cron, timezone).getNextDateFrom(new Date(now.getTime() - delayMs), timezone);
  return new Date(tick.toMillis() + delayMs);
}
