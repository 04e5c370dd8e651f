import { CronTime } from 'cron';
import type { StoreConfig } from '../config/index.js';

/**
 * The first start of the store's schedule after that moment. Clocks that are set back repeat an hour, in which the library finds a start of
 * a schedule with fixed hours again, or one of the hour that follows: such a schedule has each of its times once.
 */
export function nextStart({ schedule }: Pick<StoreConfig, 'schedule'>, after: Date): Date {
  const { cron, timezone } = schedule;
  const time = new CronTime(cron, timezone);
  let start = time.getNextDateFrom(after, timezone);
  while (hasFixedHours(cron) && isRepeated(start)) start = time.getNextDateFrom(start, timezone);
  return start.toJSDate();
}

/** False for a schedule of every hour, which goes by elapsed time when the clocks change. */
function hasFixedHours(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const hours = fields.at(fields.length === 6 ? 2 : 1);
  return hours !== undefined && !['*', '*/1', '0-23'].includes(hours);
}

/** Whether the clocks show the time of this moment for the second time: they were set back within the last hour. */
function isRepeated(start: ReturnType<CronTime['getNextDateFrom']>): boolean {
  const setBackMinutes = start.minus({ hours: 1 }).offset - start.offset;
  return setBackMinutes > 0 && start.minus({ minutes: setBackMinutes }).offset !== start.offset;
}
