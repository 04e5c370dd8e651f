import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { z } from 'zod';
import { creditsEach } from './credit.repository.js';
import { json, Database } from './database.js';
import { NotificationEntity } from './entities/notification.entity.js';
import { IS_FREE, leasedBy, RELEASED } from './leased-rows.js';
import { rowOf } from './rows.js';

const storeFacts = z.object({
  store: z.string(),
  runId: z.string().nullable(),
  state: z.string().nullable(),
  errorCode: z.string().nullable(),
  endedAt: z.date().nullable(),
  retried: z.boolean(),
  failedWriteBacks: z.number(),
  /** Null while the store works. */
  pausedCode: z.string().nullable(),
  pausedSince: z.date().nullable(),
});
/** A store's newest outcome; a run that a fault ended and that waits for its next try counts as ended by that fault. */
export type StoreFacts = Readonly<z.infer<typeof storeFacts>>;

const workspaceFacts = z.object({
  workspace: z.string(),
  paused: z.boolean(),
  webhookState: z.string().nullable(),
  webhookCheckedAt: z.date().nullable(),
  /** Null while the service has not reported any. */
  creditsRemaining: z.number().nullable(),
  creditsAt: z.date().nullable(),
  /** The mean of the last results; null while none has named its credits. */
  creditsEach: z.number().nullable(),
  /** Deliveries that were parked or have failed. */
  setAside: z.number(),
});
export type WorkspaceFacts = Readonly<z.infer<typeof workspaceFacts>>;

/** All that conditions are decided by, as one look found it. */
export interface StandingFacts {
  readonly stores: readonly StoreFacts[];
  readonly workspaces: readonly WorkspaceFacts[];
}

/** Whether a condition holds. An unknown condition is not observed, and keeps its state. */
export interface Observation {
  readonly kind: string;
  readonly subject: string;
  readonly holds: boolean;
  /** When it began, where that is known. */
  readonly since: Date | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Configured {
  readonly stores: readonly string[];
  readonly workspaces: readonly string[];
}

const dueRow = rowOf(NotificationEntity).extend({ phase: z.enum(['begun', 'ended']) });
/** A row that is taken for sending, and its state after the send. */
export type DueNotification = z.infer<typeof dueRow>;

/** The conditions of workspaces; all others are of stores. A store and a workspace may have the same key. */
export const WORKSPACE_KINDS = ['workspace_paused', 'slot_taken', 'credits_low', 'deliveries_set_aside'];
/** SQL: true for a row of `notification` that is about a store. */
export const IS_OF_STORE = `kind NOT IN (${WORKSPACE_KINDS.map((kind) => `'${kind}'`).join(', ')})`;

/** Any number, the same for every process: one of them looks at a time, so that no look undoes a later one's. */
const LOOK_LOCK = 7_236_403;

/**
 * The conditions that cause notifications (rows are the truth here too: docs/decisions/0001-rows-before-queues.md).
 *
 * SQL: leases, conflict clauses and the clock of the database decide which process records a change and which sends it.
 */
@Injectable()
export class NotificationRepository {
  constructor(private readonly db: Database) {}

  /**
   * Looks at all rows that conditions rest on, has them judged, and records what has begun and what has ended. Nothing happens
   * while another process does the same.
   */
  async look(configured: Configured, judge: (facts: StandingFacts) => readonly Observation[]): Promise<void> {
    await this.db.transaction(async (runner) => {
      const isFirst = await this.db.holds(
        // SQL: an advisory lock, so that one process looks at a time.
        'SELECT pg_try_advisory_xact_lock($1) AS holds',
        [LOOK_LOCK],
        runner,
      );
      if (!isFirst) return;
      const stores = await this.db.read(storeFacts, STORE_FACTS, [configured.stores], runner);
      const workspaces = await this.db.read(workspaceFacts, WORKSPACE_FACTS, [configured.workspaces], runner);
      const open = await runner.manager
        .getRepository(NotificationEntity)
        .find({ select: { id: true, kind: true, subject: true }, where: { endedAt: IsNull() } });
      const openIds = new Map(open.map((row) => [keyOf(row), row.id]));
      const lasting: string[] = [];
      for (const observation of judge({ stores, workspaces })) {
        const id = openIds.get(keyOf(observation));
        openIds.delete(keyOf(observation));
        if (observation.holds && id === undefined) {
          const { kind, subject, facts, since } = observation;
          await this.db.affected(
            `INSERT INTO notification (kind, subject, facts, since) VALUES ($1, $2, $3, coalesce($4, now())) ON CONFLICT DO NOTHING`,
            [kind, subject, json(facts), since],
            runner,
          );
        } else if (observation.holds && id !== undefined) {
          lasting.push(id);
        } else if (id !== undefined) {
          await this.db.affected(
            'UPDATE notification SET ended_at = now(), next_attempt_at = now(), attempts = 0 WHERE id = $1 AND ended_at IS NULL',
            [id],
            runner,
          );
        }
      }
      if (lasting.length > 0)
        await this.db.affected(
          `UPDATE notification SET seen_at = now() WHERE id = ANY($1) AND seen_at < now() - interval '1 minute'`,
          [lasting],
          runner,
        );
      const isKnown = ({ kind, subject }: (typeof open)[number]): boolean =>
        (WORKSPACE_KINDS.includes(kind) ? configured.workspaces : configured.stores).includes(subject);
      const gone = open.filter((row) => openIds.has(keyOf(row)) && !isKnown(row));
      // A condition of a removed store or workspace has neither continued nor recovered, so nothing is sent. Where another process still
      // knows the store, ending it at once would make that process announce it again in each round.
      if (gone.length > 0)
        await this.db.affected(
          `UPDATE notification SET ended_at = now(), announced = 'ended'
           WHERE id = ANY($1) AND ended_at IS NULL AND seen_at < now() - interval '5 minutes'`,
          [gone.map((row) => row.id)],
          runner,
        );
    });
  }

  /**
   * Takes the next change to send, a beginning before its end; null when there is none, or other processes have them. The lease is longer
   * than the time limit of a post, so that two senders never send the same change at once.
   */
  async take(lease: string): Promise<DueNotification | null> {
    return this.db.readOne(
      dueRow,
      `UPDATE notification SET ${leasedBy('$1')}, attempts = attempts + 1
       WHERE id = (SELECT id FROM notification AS due
         WHERE (announced = 'nothing' OR (announced = 'begun' AND ended_at IS NOT NULL))
           AND next_attempt_at <= now() AND ${IS_FREE}
           AND NOT EXISTS (SELECT 1 FROM notification AS earlier
             WHERE earlier.kind = due.kind AND earlier.subject = due.subject AND earlier.id < due.id AND earlier.announced <> 'ended')
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING *, CASE WHEN announced = 'nothing' THEN 'begun' ELSE 'ended' END AS phase`,
      [lease],
    );
  }

  /** Records that the change was sent. False when the lease was lost meanwhile. */
  async announced(row: DueNotification, lease: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE notification SET announced = $3, attempts = 0, next_attempt_at = now(), ${RELEASED}
       WHERE id = $1 AND lease = $2 AND announced = $4`,
      [row.id, lease, row.phase, row.announced],
    );
  }

  /** The receiver did not take it: tried again later. */
  async postpone(id: string, lease: string, delayMs: number): Promise<void> {
    await this.db.affected(
      `UPDATE notification SET next_attempt_at = now() + $3 * interval '1 millisecond', ${RELEASED}
       WHERE id = $1 AND lease = $2`,
      [id, lease, delayMs],
    );
  }
}

function keyOf({ kind, subject }: { readonly kind: string; readonly subject: string }): string {
  return `${kind}\u0000${subject}`;
}

// SQL: one statement gives a consistent view of all stores.
const STORE_FACTS = `SELECT wanted.key AS store, run.id AS run_id, run.state, run.error_code, run.ended_at,
    coalesce(run.retried, false) AS retried,
    (SELECT count(*)::int FROM write_back WHERE write_back.store = wanted.key AND write_back.state = 'failed') AS failed_write_backs,
    known.paused_code, known.paused_since
  FROM unnest($1::text[]) AS wanted(key)
  LEFT JOIN store_state AS known ON known.store = wanted.key
  LEFT JOIN LATERAL (
    SELECT id, state, error_code, coalesce(finished_at, started_at, created_at) AS ended_at,
      retry_at IS NOT NULL OR state IN ('queued', 'running') AS retried
    FROM sync_run WHERE sync_run.store = wanted.key
      AND (state IN ('succeeded', 'partial', 'failed') OR error_code IS NOT NULL)
    ORDER BY created_at DESC LIMIT 1) AS run ON true`;

// SQL: one statement gives a consistent view of all workspaces.
const WORKSPACE_FACTS = `SELECT wanted.key AS workspace, coalesce(known.paused_reason IS NOT NULL, false) AS paused,
    known.webhook_state, known.webhook_checked_at, known.credits_remaining, known.credits_at, ${creditsEach('wanted.key')} AS credits_each,
    (SELECT count(*)::int FROM webhook_delivery WHERE webhook_delivery.workspace = wanted.key
      AND webhook_delivery.state IN ('parked', 'failed')) AS set_aside
  FROM unnest($1::text[]) AS wanted(key)
  LEFT JOIN workspace_state AS known ON known.workspace = wanted.key`;
