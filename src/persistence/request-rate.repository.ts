import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BURST_MS, type RequestRate, type Start } from '../domain/request-rate.js';
import { Database } from './database.js';

const startRow = z.object({ atMs: z.number(), startsInMs: z.number() });
const pauseRow = z.object({ atMs: z.number(), pausedForMs: z.number() });

/** No start is later than this, or than this many intervals: a clock may have been set back. */
const LONGEST = { ms: 60_000, intervals: 8 };
/** The slowest rate, as a share of the ceiling. */
const FLOOR_SHARE = 1 / 32;
/** Each start restores this share of the ceiling, so that about fifty restore it completely. */
const RECOVERY_SHARE = 0.02;

/**
 * The rate of requests to a workspace's service, shared by all processes. A refusal (429, 503) pauses all requests and halves the rate,
 * once for all requests that ran at the same time. Each start restores a part of it.
 *
 * SQL: one statement takes a start by the clock of the database, so that processes never get the same one.
 */
@Injectable()
export class RequestRateRepository {
  constructor(private readonly db: Database) {}

  /** The rate of this workspace, with at most `ceiling` requests per second. */
  of(workspace: string, ceiling: number): RequestRate {
    return {
      take: () => this.#take(workspace, ceiling),
      slowDown: (startedAtMs, pauseMs) => this.#slowDown(workspace, ceiling, startedAtMs, pauseMs),
    };
  }

  async #take(workspace: string, ceiling: number): Promise<Start> {
    for (;;) {
      const start = await this.db.readOne(startRow, TAKE, [workspace, ceiling]);
      if (start !== null) return { ...start, pausedForMs: 0 };
      const pause = await this.db.readOne(pauseRow, PAUSE, [workspace]);
      if (pause !== null && pause.pausedForMs > 0) return { ...pause, startsInMs: 0 };
    }
  }

  async #slowDown(
    workspace: string,
    ceiling: number,
    startedAtMs: number | null,
    pauseMs: number,
  ): Promise<void> {
    await this.db.affected(SLOW_DOWN, [workspace, ceiling, startedAtMs, pauseMs]);
  }
}

const RATE = `least(coalesce(known.request_rate, $2) + $2 * ${String(RECOVERY_SHARE)}, $2::double precision)`;
const AT = `least(
  greatest(coalesce(known.next_request_at, clock_timestamp()), clock_timestamp() - greatest(500 / ${RATE}, ${String(BURST_MS)}) * interval '1 millisecond'),
  clock_timestamp() + greatest(${String(LONGEST.ms)}, ${String(LONGEST.intervals * 1000)} / ${RATE}) * interval '1 millisecond')`;

// Nothing is taken during a pause.
const TAKE = `UPDATE workspace_state AS known SET
    request_rate = ${RATE},
    next_request_at = ${AT} + 1000 / ${RATE} * interval '1 millisecond'
  WHERE workspace = $1 AND coalesce(requests_paused_until, '-infinity') <= clock_timestamp()
  RETURNING
    (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at_ms,
    (extract(epoch FROM next_request_at - clock_timestamp()) * 1000)::double precision - 1000 / request_rate AS starts_in_ms`;

/** What is left of a pause. Makes the row where there is none. */
const PAUSE = `INSERT INTO workspace_state AS known (workspace) VALUES ($1)
  ON CONFLICT (workspace) DO UPDATE SET workspace = excluded.workspace
  RETURNING
    (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at_ms,
    greatest(0, coalesce(extract(epoch FROM requests_paused_until - clock_timestamp()) * 1000, 0))::double precision AS paused_for_ms`;

const IS_NEW = `$3::double precision IS NOT NULL AND coalesce(known.slowed_at, '-infinity') < to_timestamp($3::double precision / 1000)`;
const SLOW_DOWN = `INSERT INTO workspace_state AS known (workspace, request_rate, requests_paused_until, slowed_at)
  VALUES ($1, CASE WHEN $3::double precision IS NOT NULL THEN $2::double precision / 2 END,
    clock_timestamp() + $4 * interval '1 millisecond', CASE WHEN $3 IS NOT NULL THEN clock_timestamp() END)
  ON CONFLICT (workspace) DO UPDATE SET
    requests_paused_until = greatest(known.requests_paused_until, excluded.requests_paused_until),
    request_rate = CASE WHEN ${IS_NEW} THEN greatest(coalesce(known.request_rate, $2) / 2, $2 * ${String(FLOOR_SHARE)}) ELSE known.request_rate END,
    slowed_at = CASE WHEN ${IS_NEW} THEN clock_timestamp() ELSE known.slowed_at END`;
