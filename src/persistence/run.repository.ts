import { Injectable } from '@nestjs/common';
import { In, Not, Raw } from 'typeorm';
import type { RunCounts } from '../domain/run-counts.js';
import { PLAN_STATES, RUN_TRANSITIONS, statesBefore, type RunState } from '../domain/row-states.js';
import { OWED_NOTE } from '../domain/owed.js';
import { CRASH_PAUSE } from './crash-count.js';
import { json, uuid, Database } from './database.js';
import { SyncRunEntity } from './entities/sync-run.entity.js';
import {
  type RunKind,
  type RunRequests,
  type RunTrigger,
  type StepStart,
} from './entities/sync-run.entity.js';
import { idRow, rowOf } from './rows.js';
import { isUninstalled } from './uninstalled-store.js';
import { LEASE, leasedBy, RELEASED } from './leased-rows.js';
import { endLostPlans } from './plan-drafts.js';
import { hasNewerRun } from './newest-rows.js';
import { noteOwed } from './owed.repository.js';

const runRow = rowOf(SyncRunEntity);
const cancelledRow = rowOf(SyncRunEntity, ['cancelledBy']);

export interface RunRequest {
  readonly store: string;
  readonly workspace: string;
  readonly kind: RunKind;
  readonly trigger: RunTrigger;
  readonly slot?: Date;
  readonly force?: boolean;
  readonly requestedBy?: string | undefined;
}

export interface RunEnd {
  readonly state: Extract<RunState, 'succeeded' | 'partial' | 'failed'>;
  readonly counts: RunCounts;
  readonly error?: string;
  readonly errorCode?: string;
  /** Remarks that are no errors. */
  readonly notes?: readonly string[];
  /** Milliseconds until reconcile takes it up again; absent: never by itself. */
  readonly retryInMs?: number;
}

/** How far the work on a run is, for people. What is absent stays as it is in the row. */
export interface RunWork {
  readonly counts?: Partial<RunCounts>;
  readonly requests?: Partial<RunRequests>;
  readonly steps?: readonly StepStart[];
}

/** A plan for review is no run yet. */
const IS_RUN = Not(In([...PLAN_STATES]));

/** The note of a run that a person cancelled. */
export function cancelNote(by: string): string {
  return `cancelled by ${by}`;
}

/**
 * Runs. A worker holds a run by its lease: every write names the lease's token, so that one who was stopped, forgotten and
 * replaced cannot move the run any more. Leases are measured by the database's clock alone.
 *
 * SQL: each write is guarded by the state and the lease of the run, or by the index that allows a store one active run.
 */
@Injectable()
export class RunRepository {
  constructor(private readonly db: Database) {}

  /**
   * The store's active run, made if there was none. Null when the slot of the schedule has had its run already, or is that of a store
   * whose merchant uninstalled the app: its runs would only fail.
   * The unique indexes decide, not this code: any number of replicas may ask at once.
   */
  async request(request: RunRequest): Promise<{ id: string; created: boolean } | null> {
    const created = await this.db.readOne(
      idRow,
      `INSERT INTO sync_run (store, workspace, kind, trigger, slot, force, requested_by)
       SELECT $1::text, $2::text, $3::text, $4::text, $5::timestamptz, $6::boolean, $7::text
       WHERE $4 <> 'schedule' OR NOT ${isUninstalled('$1')}
       ON CONFLICT DO NOTHING RETURNING id`,
      [
        request.store,
        request.workspace,
        request.kind,
        request.trigger,
        request.slot ?? null,
        request.force ?? false,
        request.requestedBy ?? null,
      ],
    );
    if (created) return { id: created.id, created: true };
    const active = await this.db
      .repository(SyncRunEntity)
      .findOne({ select: { id: true }, where: { store: request.store, state: In(['queued', 'running']) } });
    if (active === null) return null;
    if (request.trigger === 'command' || request.trigger === 'api') await this.#endPause(active.id);
    return { id: active.id, created: false };
  }

  /** A person who asks for a run does not wait for the pause after the death of its worker. */
  async #endPause(id: string): Promise<void> {
    await this.db.affected(
      // Without `lease_until` a run can be taken at once.
      `UPDATE sync_run SET lease_until = NULL WHERE id = $1 AND finished_at IS NULL AND lease_until < now()`,
      [id],
    );
  }

  /**
   * Takes a queued run, or one whose lease ran out and whose pause after the death of its worker is over. Null when another worker has
   * it, or when it has ended.
   */
  async claim(id: string, lease: string): Promise<SyncRunEntity | null> {
    return this.db.readOne(
      runRow,
      `UPDATE sync_run SET ${CLAIMED} WHERE id = $2 AND ${CLAIMABLE} RETURNING *`,
      [lease, id],
    );
  }

  /**
   * Takes the run that is due longest, of one of these stores, and of any workspace but `without`. Null when none can begin. A run of
   * another store is left to a process that knows the store; once none has taken it for ten minutes, it is taken, too, to be ended.
   */
  async claimNext(
    lease: string,
    stores: readonly string[],
    without: readonly string[] = [],
  ): Promise<SyncRunEntity | null> {
    return this.db.readOne(
      runRow,
      `UPDATE sync_run SET ${CLAIMED} WHERE id = (SELECT id FROM sync_run WHERE ${CLAIMABLE} AND workspace <> ALL($2)
           AND (store = ANY($3) OR created_at < now() - interval '10 minutes')
         ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *`,
      [lease, without, stores],
    );
  }

  /** Null when the lease was lost: the caller must stop at once and change nothing. `cancelledBy`: the person who cancelled the run. */
  async keepLease(
    id: string,
    lease: string,
    { counts = {}, requests = {}, steps }: RunWork = {},
  ): Promise<Pick<SyncRunEntity, 'cancelledBy'> | null> {
    return this.db.readOne(
      cancelledRow,
      `UPDATE sync_run SET lease_until = now() + ${LEASE}, counts = counts || $3::jsonb,
         requests = requests || $4::jsonb, steps = coalesce($5::jsonb, steps)
       WHERE id = $1 AND lease = $2 AND state = 'running' RETURNING cancelled_by`,
      [id, lease, json(counts), json(requests), steps === undefined ? null : json(steps)],
    );
  }

  /**
   * Asks the run to stop: its worker does at the next safe point. A run that has ended and waits to be tried again waits no
   * longer. False when the run has ended and is not tried again, or was cancelled before.
   */
  async requestCancel(id: string, by: string): Promise<boolean> {
    return this.db.moves(
      // SQL: one guarded statement, so that it cannot meet a run between its states.
      `UPDATE sync_run SET cancelled_by = $2, retry_at = NULL,
         notes = CASE WHEN state IN ('queued', 'running') THEN notes ELSE notes || to_jsonb($3::text) END
       WHERE id = $1 AND cancelled_by IS NULL AND (state IN ('queued', 'running') OR retry_at IS NOT NULL)`,
      [id, by, cancelNote(by)],
    );
  }

  /**
   * Records, before they are sent, that the run's actions up to this one are started. False when the lease was lost: then nothing may
   * be sent. Progress shows that the run does not kill its workers, so the count of their deaths begins again.
   */
  async begin(id: string, lease: string, actionId: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE sync_run SET started_up_to = greatest(started_up_to, $3::bigint),
         crash_count = CASE WHEN $3::bigint > started_up_to THEN 1 ELSE crash_count END WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [id, lease, actionId],
    );
  }

  /** Notes, by the clock of the database, that the run begins to read its store anew. What is owed later is news to this read. */
  async beginRead(id: string, lease: string): Promise<void> {
    await this.db.affected(
      `WITH begun AS (
         UPDATE sync_run SET operation = NULL, read_from = now() WHERE id = $1 AND lease = $2 AND state = 'running' RETURNING store
       ), announced AS (
         DELETE FROM announced_product AS product USING begun WHERE product.store = begun.store RETURNING product.*
       )
       ${noteOwed(`SELECT external_id, store, store_id, '', 'changed', NULL FROM announced`)}`,
      [id, lease],
    );
  }

  async setOperation(id: string, lease: string, operation: string | null): Promise<void> {
    await this.db.affected(
      `UPDATE sync_run SET operation = $3 WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [id, lease, operation],
    );
  }

  /** The run as it ended. Null when its lease was lost. */
  async finish(
    id: string,
    lease: string,
    end: RunEnd,
    { requests = {}, steps }: Omit<RunWork, 'counts'> = {},
  ): Promise<SyncRunEntity | null> {
    return this.db.readOne(
      runRow,
      `UPDATE sync_run SET state = $3, counts = $4, error = $5, error_code = $6,
         retry_at = CASE WHEN $7::double precision IS NULL OR cancelled_by IS NOT NULL THEN NULL
           ELSE now() + $7 * interval '1 millisecond' END, notes = $9, requests = requests || $10::jsonb,
         steps = coalesce($11::jsonb, steps),
         ${RELEASED}, crash_count = 0, finished_at = now()
       WHERE id = $1 AND lease = $2 AND state = ANY($8) RETURNING *`,
      [
        id,
        lease,
        end.state,
        json(end.counts),
        end.error ?? null,
        end.errorCode ?? null,
        end.retryInMs ?? null,
        statesBefore(RUN_TRANSITIONS, end.state),
        json(end.notes ?? []),
        json(requests),
        steps === undefined ? null : json(steps),
      ],
    );
  }

  /**
   * Counts again the ended run that last sent the product, because a background creation may end after its run. A `partial` run becomes
   * `succeeded` when its last missing product has been created.
   */
  async recount(externalId: string): Promise<void> {
    await this.db.affected(
      `WITH last AS (
         SELECT run_id FROM sync_action WHERE external_id = $1 AND kind <> 'orphan' AND state NOT IN ('draft', 'dropped') ORDER BY id DESC LIMIT 1
       ), tally AS (
         SELECT count(*) FILTER (WHERE state = 'applied' AND kind = 'create') AS created,
           count(*) FILTER (WHERE state IN ('failed', 'planned')) AS failed
         FROM sync_action WHERE run_id = (SELECT run_id FROM last)
       )
       UPDATE sync_run AS run SET
         counts = run.counts || jsonb_build_object('created', tally.created, 'failed', tally.failed, 'owed', owed.count),
         state = CASE WHEN tally.failed = 0 AND owed.count = 0 AND run.error_code IS NULL THEN 'succeeded' ELSE run.state END,
         notes = CASE WHEN owed.count = 0 THEN (SELECT coalesce(jsonb_agg(note), '[]') FROM jsonb_array_elements_text(run.notes) AS note
           WHERE note NOT LIKE '${OWED_NOTE}%') ELSE run.notes END
       FROM tally, (SELECT count(*) AS count FROM owed_product
         WHERE store = (SELECT store FROM sync_action WHERE external_id = $1 ORDER BY id DESC LIMIT 1)) AS owed
       WHERE run.id = (SELECT run_id FROM last) AND run.state = 'partial'
         AND NOT ${hasNewerRun('run')}`,
      [externalId],
    );
  }

  /**
   * Puts a run back in the queue whose worker lives and had no database for a while. With `mayBeCause` the attempt counts like one of a
   * worker that died, and is followed by the same pause: the run's own statement may be what ends the connections.
   */
  async handBack(id: string, lease: string, mayBeCause: boolean): Promise<void> {
    await this.db.affected(
      `UPDATE sync_run SET state = 'queued', lease = NULL, lease_until = CASE WHEN $3 = 0 THEN now() END,
         crash_count = crash_count - $3
       WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [id, lease, mayBeCause ? 0 : 1],
    );
  }

  /** Puts a run back in the queue. The next worker resumes it at its current phase. */
  async release(id: string, lease: string): Promise<void> {
    await this.db.affected(
      `UPDATE sync_run SET state = 'queued', ${RELEASED}, crash_count = 0 WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [id, lease],
    );
  }

  /** Runs without a worker: they wait, or their lease has expired. At most `limit`, the longest due first. */
  async unattended(limit = 64): Promise<string[]> {
    const rows = await this.db.repository(SyncRunEntity).find({
      select: { id: true },
      where: [
        { state: 'queued' },
        // Leases are measured by the database's clock alone.
        { state: 'running', leaseUntil: Raw((column) => `${column} < now()`) },
      ],
      order: { createdAt: 'ASC' },
      take: limit,
    });
    return rows.map((row) => row.id);
  }

  /**
   * Puts runs that a temporary fault ended back in the queue when their wait is over and no newer run has taken their place. An incremental
   * run does not take that of a full one which never planned: in a busy shop, events start one every few seconds.
   */
  async requeueDue(): Promise<string[]> {
    return this.db.texts(
      `UPDATE sync_run AS run SET state = 'queued', retry_at = NULL
       WHERE run.retry_at <= now() AND run.state IN ('partial', 'failed')
         AND NOT ${hasNewerRun(
           'run',
           `NOT (run.kind = 'full' AND run.phase = 'extract' AND newer.kind = 'incremental'
             AND newer.state NOT IN ('queued', 'running') AND newer.retry_at IS NULL)`,
         )}
         AND NOT ${isUninstalled('run.store')}
       RETURNING id`,
    );
  }

  async endLostPlans(): Promise<void> {
    await endLostPlans(this.db);
  }

  /** Null for an unknown id, and for a plan that was not applied. */
  async get(id: string): Promise<SyncRunEntity | null> {
    const known = uuid(id);
    if (known === null) return null;
    return this.db.repository(SyncRunEntity).findOneBy({ id: known, state: IS_RUN });
  }

  async latest(store: string, count: number): Promise<SyncRunEntity[]> {
    return this.db
      .repository(SyncRunEntity)
      .find({ where: { store, state: IS_RUN }, order: { createdAt: 'DESC' }, take: count });
  }
}

// SQL: shared by the two ways to take a run.
const CLAIMED = `state = 'running', ${leasedBy('$1')},
  started_at = coalesce(started_at, now()), finished_at = NULL, attempts = attempts + 1, crash_count = crash_count + 1`;
// A cancelled run does not wait, because its worker only ends it.
const CLAIMABLE = `(state IN ('queued', 'running') AND (lease_until IS NULL OR
  (lease_until < now() AND (cancelled_by IS NOT NULL OR lease_until + ${CRASH_PAUSE} < now()))))`;
