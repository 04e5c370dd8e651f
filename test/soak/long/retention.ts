import { z } from 'zod';
import type { WorldDatabase } from '../../support/world/database.js';

/** The shortest that `database.keepDays` allows. */
export const KEEP_DAYS = 30;
/** How long history stays in a long run. */
const KEPT = '1 hour';

/** Each table that retention clears, and the column that it goes by. */
const SETTLED = {
  sync_action: 'settled_at',
  generation_task: 'settled_at',
  webhook_delivery: 'settled_at',
  store_event: 'settled_at',
  audit_entry: 'at',
  notification: 'ended_at',
  bulk_change: 'finished_at',
  sync_run: 'finished_at',
} as const;

/**
 * Makes history old at once: what is settled counts as settled 30 days before, less one hour. Retention, whose shortest time is 30 days, thus
 * keeps one hour, and tables reach their size within the first one.
 */
export async function ageHistory(database: WorldDatabase): Promise<void> {
  for (const [table, column] of Object.entries(SETTLED))
    await database.rows(`
      CREATE FUNCTION soak_age_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.${column} > now() - interval '1 day' THEN
            NEW.${column} := NEW.${column} - interval '${String(KEEP_DAYS)} days' + interval '${KEPT}';
          END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER soak_age BEFORE INSERT OR UPDATE OF ${column} ON ${table}
        FOR EACH ROW EXECUTE FUNCTION soak_age_${table}()`);
}

/** The line that a pass logs when it has removed rows. */
const PASS = 'history beyond database.keepDays was removed';

export const isPass = (line: string): boolean => line.includes(PASS);

/** Whether the log has a pass of retention that ended after this time. */
export function passedSince(lines: readonly string[], since: Date): boolean {
  const last = lines.findLast(isPass);
  return last !== undefined && z.object({ time: z.coerce.date() }).parse(JSON.parse(last)).time > since;
}
