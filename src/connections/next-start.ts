import { CronTime } from 'cron';
import type { StoreConfig } from '../config/index.js';

/** When the store's next scheduled run starts. */
export function nextStart({ schedule }: Pick<StoreConfig, 'schedule'>, now: Date): Date {
  const { cron, timezone } = schedule;
  return new CronTime(cron, timezone).getNextDateFrom(now, timezone).toJSDate();
}
