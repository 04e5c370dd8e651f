import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Database } from './database.js';

const grantRow = z.object({
  slots: z.number(),
  startsInMs: z.number(),
  intervalMs: z.number(),
  pausedForMs: z.number(),
});
export type PaceGrant = Readonly<z.infer<typeof grantRow>>;

/** The slowest rate, as a share of the ceiling. */
const FLOOR_SHARE = 1 / 32;
/** Each served request restores this share of the ceiling. */
const RECOVERY_SHARE = 0.02;
/** Unused time before now that may be made up for, in milliseconds. */
const CREDIT_MS = 50;
/** No slot is granted further ahead than this, or than this many intervals: a clock may have been set back. */
const AHEAD = { ms: 60_000, intervals: 8 };

/**
 * The pace of requests to a workspace's service, shared by all processes.
 *
 * SQL: one statement takes slots by the clock of the database, so that processes never get the same ones.
 */
@Injectable()
export class PaceRepository {
  constructor(private readonly db: Database) {}

  /**
   * Takes the next `wanted` starts at a rate of at most `ceiling` requests per second. `served` requests since the last call raise a
   * rate that a refusal had lowered. During a pause no start is granted.
   */
  async take(workspace: string, ceiling: number, wanted: number, served: number): Promise<PaceGrant> {
    for (;;) {
      const granted = await this.db.readOne(grantRow, TAKE, [workspace, ceiling, wanted, served]);
      if (granted !== null) return granted;
      await this.db.affected('INSERT INTO workspace_pace (workspace) VALUES ($1) ON CONFLICT DO NOTHING', [
        workspace,
      ]);
    }
  }

  /**
   * Records that the service refused a request which began `startedAgoMs` ago: nothing starts for `pauseMs`, and the rate is halved, once
   * for all requests that ran at the same time. Null for `startedAgoMs` keeps the rate.
   */
  async slowDown(
    workspace: string,
    ceiling: number,
    startedAgoMs: number | null,
    pauseMs: number,
  ): Promise<void> {
    await this.db.affected(
      `INSERT INTO workspace_pace AS pace (workspace, rate, paused_until, slowed_at)
       VALUES ($1, CASE WHEN $3::double precision IS NULL THEN NULL ELSE $2::double precision / 2 END,
         clock_timestamp() + $4 * interval '1 millisecond', CASE WHEN $3 IS NULL THEN NULL ELSE clock_timestamp() END)
       ON CONFLICT (workspace) DO UPDATE SET
         paused_until = greatest(pace.paused_until, excluded.paused_until),
         rate = CASE WHEN $3 IS NULL OR pace.slowed_at >= clock_timestamp() - $3 * interval '1 millisecond' THEN pace.rate
           ELSE greatest(coalesce(pace.rate, $2) / 2, $2 * ${String(FLOOR_SHARE)}) END,
         slowed_at = CASE WHEN $3 IS NULL OR pace.slowed_at >= clock_timestamp() - $3 * interval '1 millisecond' THEN pace.slowed_at
           ELSE clock_timestamp() END`,
      [workspace, ceiling, startedAgoMs, pauseMs],
    );
  }
}

// SQL: locks the row, computes the start by the clock of the database, and moves it, in one statement.
const TAKE = `WITH held AS MATERIALIZED (
    SELECT * FROM workspace_pace WHERE workspace = $1 FOR UPDATE
  ), moment AS MATERIALIZED (
    SELECT clock_timestamp() AS now, next_at, coalesce(paused_until, '-infinity') AS paused_until,
      least(greatest(coalesce(rate, $2) + $4 * $2 * ${String(RECOVERY_SHARE)}, $2 * ${String(FLOOR_SHARE)}), $2::double precision) AS rate
    FROM held
  ), start AS MATERIALIZED (
    SELECT *, paused_until > now AS paused, 1000 / rate AS interval_ms, least(
      greatest(next_at, now - greatest(500 / rate, ${String(CREDIT_MS)}) * interval '1 millisecond'),
      now + greatest(${String(AHEAD.ms)}, ${String(AHEAD.intervals * 1000)} / rate) * interval '1 millisecond') AS at
    FROM moment
  ), moved AS (
    UPDATE workspace_pace AS pace SET rate = CASE WHEN start.rate < $2 THEN start.rate END,
      next_at = CASE WHEN start.paused THEN pace.next_at ELSE start.at + $3 * start.interval_ms * interval '1 millisecond' END
    FROM start WHERE pace.workspace = $1
  )
  SELECT CASE WHEN paused THEN 0 ELSE $3::int END AS slots, interval_ms,
    (extract(epoch FROM at - now) * 1000)::double precision AS starts_in_ms,
    CASE WHEN paused THEN (extract(epoch FROM paused_until - now) * 1000)::double precision ELSE 0 END AS paused_for_ms
  FROM start`;
