import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { LifecycleEventEntity } from './entities/lifecycle-event.entity.js';
import { isRun } from './newest-rows.js';
import { rowOf } from './rows.js';

const eventRow = rowOf(LifecycleEventEntity);

/** Longer than the time limit of a post, so that two senders never send the same event at once. */
const TAKEN_SECONDS = 60;
/** Runs and pauses that are older are not looked at any more. It is shorter than `KEPT_DAYS`, so that no event is found twice. */
const LOOK_BACK_DAYS = 7;
const KEPT_DAYS = 30;
/** Texts that come one after the other are one event. */
const REVIEW_EVERY_MINUTES = 15;

const BEGAN = 'began';

/**
 * Lifecycle events as rows (docs/decisions/0001-rows-before-queues.md).
 *
 * SQL: one statement finds the events of a kind, and the conflict clause makes each of them one row in all replicas.
 */
@Injectable()
export class LifecycleEventRepository {
  constructor(private readonly db: Database) {}

  /** Records what has happened in these stores since the first look. Earlier runs and pauses are no events. */
  async look(stores: readonly string[]): Promise<void> {
    await this.db.affected(
      `INSERT INTO lifecycle_event (id, kind, store, settled_at) VALUES ($1, $1, '', now()) ON CONFLICT DO NOTHING`,
      [BEGAN],
    );
    for (const statement of [RUNS, PAUSES, REVIEWS]) await this.db.affected(statement, [stores]);
  }

  /** Takes the next event for a minute; null when there is none, or other processes have them. */
  async take(): Promise<LifecycleEventEntity | null> {
    return this.db.readOne(
      eventRow,
      `UPDATE lifecycle_event SET attempts = attempts + 1, next_attempt_at = now() + $1 * interval '1 second'
       WHERE id = (SELECT id FROM lifecycle_event WHERE settled_at IS NULL AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING *`,
      [TAKEN_SECONDS],
    );
  }

  /** The receiver took it, or it is given up. */
  async settle(id: string): Promise<void> {
    await this.db.affected('UPDATE lifecycle_event SET settled_at = now() WHERE id = $1', [id]);
  }

  async postpone(id: string, delayMs: number): Promise<void> {
    await this.db.affected(
      `UPDATE lifecycle_event SET next_attempt_at = now() + $2 * interval '1 millisecond' WHERE id = $1`,
      [id, delayMs],
    );
  }

  /** Deletes settled events after their retention. */
  async forgetOld(): Promise<void> {
    await this.db.affected(
      `DELETE FROM lifecycle_event WHERE settled_at < now() - $1 * interval '1 day' AND kind <> $2`,
      [KEPT_DAYS, BEGAN],
    );
  }
}

const SINCE = `greatest(now() - interval '${String(LOOK_BACK_DAYS)} days', (SELECT at FROM lifecycle_event WHERE id = '${BEGAN}'))`;

// SQL: inserts what it selects. A run that ends again after a new try is another event.
const RUNS = `INSERT INTO lifecycle_event (id, kind, store, facts)
  SELECT 'run.ended/' || run.id || '/' || extract(epoch FROM run.finished_at), 'run.ended', run.store,
    jsonb_build_object('runId', run.id, 'state', run.state, 'kind', run.kind, 'trigger', run.trigger, 'counts', run.counts,
      'code', run.error_code, 'startedAt', run.started_at, 'finishedAt', run.finished_at)
  FROM unnest($1::text[]) AS wanted(key)
  CROSS JOIN LATERAL (SELECT * FROM sync_run WHERE sync_run.store = wanted.key
    AND ${isRun('sync_run')} ORDER BY created_at DESC LIMIT 20) AS run
  WHERE run.state IN ('succeeded', 'partial', 'failed') AND run.finished_at >= ${SINCE}
  ON CONFLICT DO NOTHING`;

// SQL: inserts what it selects.
const PAUSES = `INSERT INTO lifecycle_event (id, kind, store, facts)
  SELECT 'store.paused/' || store || '/' || extract(epoch FROM paused_since), 'store.paused', store,
    jsonb_build_object('scope', paused_scope, 'code', paused_code, 'since', paused_since)
  FROM store_state WHERE store = ANY($1) AND paused_since >= ${SINCE}
  ON CONFLICT DO NOTHING`;

// SQL: inserts what it selects, for texts that began to wait after the last event about the store. One that was held back waits since its
// `next_attempt_at`.
const REVIEWS = `INSERT INTO lifecycle_event (id, kind, store, facts)
  SELECT 'review.waiting/' || wanted.key || '/' || extract(epoch FROM newest.at), 'review.waiting', wanted.key,
    jsonb_build_object('waiting', newest.count)
  FROM unnest($1::text[]) AS wanted(key)
  CROSS JOIN LATERAL (SELECT max(greatest(created_at, next_attempt_at)) AS at, count(*)::int AS count FROM write_back
    WHERE write_back.store = wanted.key AND write_back.state = 'pending_review') AS newest
  CROSS JOIN LATERAL (SELECT max(at) AS at FROM lifecycle_event AS event
    WHERE event.store = wanted.key AND event.kind = 'review.waiting') AS last
  WHERE newest.at > coalesce(last.at, ${SINCE})
    AND coalesce(last.at < now() - interval '${String(REVIEW_EVERY_MINUTES)} minutes', true)
  ON CONFLICT DO NOTHING`;
