import { Injectable } from '@nestjs/common';
import { IsNull, Not, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { SentValue } from '../domain/write-back-journal.js';
import { capReason, WRITE_CAPS, type WriteCap, type WriteLimits } from '../domain/write-cap.js';
import { Database, json } from './database.js';
import { WriteBackEntity } from './entities/write-back.entity.js';

/** The start of an attempt: stored, refused because the row is no longer ready, or postponed by a limit. */
export type StartedAttempt =
  { readonly kind: 'started' | 'lost' } | { readonly kind: 'capped'; readonly reason: string };

const writtenRow = z.object({ maxWritesPerRun: z.number(), maxWritesPerDay: z.number() });

/** Writes of the store since its newest run started, and since its day began. The row itself does not count. */
// SQL: two counts over one index range, whose bounds are the newest run and the start of the day.
const WRITTEN = `WITH since AS (SELECT date_trunc('day', clock_timestamp(), $3) AS day,
    coalesce((SELECT started_at FROM sync_run WHERE sync_run.store = $1 AND started_at IS NOT NULL
      ORDER BY created_at DESC LIMIT 1), '-infinity') AS run)
  SELECT count(*) FILTER (WHERE attempted_at >= since.run)::integer AS max_writes_per_run,
    count(*) FILTER (WHERE attempted_at >= since.day)::integer AS max_writes_per_day
  FROM write_back, since
  WHERE store = $1 AND attempted_at >= least(since.run, since.day) AND id IS DISTINCT FROM $2::uuid`;

/**
 * The limits on what is written to a store. Each write is counted in the transaction that allows it.
 *
 * SQL: each write is guarded by the state of the row, under the lock that makes the limit hold for all replicas.
 */
@Injectable()
export class WriteCapRepository {
  constructor(private readonly db: Database) {}

  /**
   * Stores what is about to be sent, before it is sent: a worker that dies in between leaves a trace of what may be
   * there. The limits are compared under a lock of the store, so replicas together write no more than they allow. A
   * row over a limit stays ready and waits for `wake`.
   */
  async begin(
    row: { readonly id: string; readonly store: string },
    sent: Readonly<Record<string, SentValue>>,
    limits: WriteLimits,
  ): Promise<StartedAttempt> {
    const writesNothing = Object.keys(sent).length === 0;
    return this.db.transaction(async (runner) => {
      const cap = writesNothing ? null : await this.#reached(row, limits, runner);
      if (cap !== null) {
        const reason = capReason(cap, row.store, limits[cap]);
        await this.db.affected(
          `UPDATE write_back SET capped_by = $2, reason = $3, crash_count = 0 WHERE id = $1 AND state = 'ready'`,
          [row.id, cap, reason],
          runner,
        );
        return { kind: 'capped', reason };
      }
      const moved = await this.db.moves(
        `UPDATE write_back SET sent = sent || $2::jsonb, capped_by = NULL,
           attempted_at = CASE WHEN $3 THEN attempted_at ELSE clock_timestamp() END WHERE id = $1 AND state = 'ready'`,
        [row.id, json(sent), writesNothing],
        runner,
      );
      return { kind: moved ? 'started' : 'lost' };
    });
  }

  async #reached(
    { id, store }: { readonly id: string; readonly store: string },
    limits: WriteLimits,
    runner: QueryRunner,
  ): Promise<WriteCap | null> {
    const capped = WRITE_CAPS.filter((cap) => limits[cap] > 0);
    if (capped.length === 0) return null;
    await this.db.affected(
      // SQL: the lock makes the count and the write one step for all replicas.
      `SELECT pg_advisory_xact_lock(hashtextextended('write-cap:' || $1::text, 0))`,
      [store],
      runner,
    );
    const written = await this.#written(store, id, limits, runner);
    return capped.find((cap) => written[cap] >= limits[cap]) ?? null;
  }

  async #written(
    store: string,
    without: string | null,
    limits: WriteLimits,
    runner?: QueryRunner,
  ): Promise<z.infer<typeof writtenRow>> {
    // SQL: two counts over one index range, whose bounds are the store's newest run and the start of its day.
    return this.db.one(writtenRow, WRITTEN, [store, without, limits.timezone], runner);
  }

  /** Stores with ready rows that wait for a limit. */
  async storesWaiting(): Promise<string[]> {
    return this.db.texts(
      // SQL: all stores in one look at a partial index.
      `SELECT DISTINCT store FROM write_back WHERE capped_by IS NOT NULL AND state = 'ready'`,
    );
  }

  /**
   * Makes as many waiting rows due as the limits have room for, oldest first. Also finds limits that were raised.
   * Returns how many.
   */
  async wake(store: string, limits: WriteLimits): Promise<number> {
    const isWaiting = await this.db
      .repository(WriteBackEntity)
      .existsBy({ store, cappedBy: Not(IsNull()), state: 'ready' });
    if (!isWaiting) return 0;
    const written = await this.#written(store, null, limits);
    const room = WRITE_CAPS.map((cap) =>
      limits[cap] === 0 ? Number.MAX_SAFE_INTEGER : limits[cap] - written[cap],
    );
    const most = Math.min(...room);
    if (most <= 0) return 0;
    return this.db.affected(
      `UPDATE write_back SET capped_by = NULL, next_attempt_at = now() WHERE id = ANY (ARRAY(
         SELECT id FROM write_back WHERE store = $1 AND capped_by IS NOT NULL AND state = 'ready'
         ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [store, most],
    );
  }
}
