import { CronTime } from 'cron';
import type { StoreConfig } from '../config/index.js';

type Scheduled = Pick<StoreConfig, 'schedule'>;

/** When the store's next scheduled run starts. */
export function nextStart(store: Scheduled, now: Date): Date {
  const { cron, timezone } = store.schedule;
  return new CronTime(cron, timezone).getNextDateFrom(now, timezone).toJSDate();
}
