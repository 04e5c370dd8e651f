import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import type { RunCounts } from '../domain/run-counts.js';
import { PLAN_STATES } from '../domain/row-states.js';
import { json, Database } from './database.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { SyncActionEntity, type StoredActionKind } from './entities/sync-action.entity.js';
import { SyncRunEntity, type RunKind, type RunTrigger, type SavedPlan } from './entities/sync-run.entity.js';
import { containing } from './like-pattern.js';
import { isBeingWritten } from './held-product.js';
import { pageInOrder, type ListPage, type PageRequest } from './keyset.js';
import { PlanActions } from './plan-actions.js';
import { discardDrafts, endLostPlans, HELD_RUN, removeNotes } from './plan-drafts.js';
import { claimIdentifiers } from './plan-settlement.js';
import type { PlannedRun } from './plan-rows.js';
import { idRow, rowOf } from './rows.js';
import { countedBy } from './state-counts.js';
import { isUniqueViolation } from './statement-error.js';
import { IS_FREE, keepLease, LEASE, RELEASED } from './leased-rows.js';
import { ROW_LEASE_MS } from '../runtime/held-lease.js';

const standingRow = rowOf(SyncActionEntity).extend({
  written: rowOf(StoreProductEntity).shape.written,
  /** True when the link is not what it was when the plan was made. */
  linkMoved: z.boolean(),
  /** True when a run has carried out another action of the product since. */
  actedSince: z.boolean(),
  /** True while a write-back may be half way through. */
  writing: z.boolean(),
});

/** An entry beside its product's link as it stands now. */
export type EntryStanding = z.infer<typeof standingRow>;

/** The person or the token that applies a plan, and by which way. */
export interface AppliedBy {
  readonly trigger: RunTrigger;
  readonly requestedBy: string;
}

export interface Refusal {
  readonly id: string;
  readonly reason: string;
}

/** Which entries of a plan are meant. An absent part selects everything. */
export interface PlanEntryFilter {
  readonly externalId?: string | undefined;
  readonly kind?: StoredActionKind | undefined;
  /** Part of a title, an external_id or a reason. */
  readonly search?: string | undefined;
}

/** The lease of the process that applies a plan. Each batch of entries renews it. */
const APPLY_LEASE = '5 minutes';

/** What a person gets instead of a plan whose lease was lost. */
export function planEnded(cause?: unknown): CodedError {
  return new CodedError(
    'transient',
    `the plan was ended while it was made: this process did not renew it for ${String(ROW_LEASE_MS / 1000)} seconds. Make a new one`,
    { cause },
  );
}

/**
 * Plans for review, dry runs, and the application of a plan.
 *
 * SQL: each write is guarded by the state and the lease of the plan.
 */
@Injectable()
export class PlanRepository {
  constructor(private readonly db: Database) {}

  /** An empty plan, made before the store is read. `isKept`: for review; a dry run is removed at its end. */
  async begin(
    store: string,
    workspace: string,
    { isKept }: { readonly isKept: boolean },
  ): Promise<PlannedRun> {
    await endLostPlans(this.db);
    const lease = randomUUID();
    const row = await this.db.readOne(
      idRow,
      `INSERT INTO sync_run (store, workspace, kind, trigger, state, lease, lease_until, read_from, plan)
       SELECT $1, $2, 'full', 'command', 'planning', $3, now() + ${LEASE}, now(), CASE WHEN $4 THEN jsonb_build_object('counts', '{}'::jsonb, 'entries', 0,
         'incomplete', NULL, 'createdAt', now(), 'appliedAt', NULL) END RETURNING id`,
      [store, workspace, lease, isKept],
    );
    if (row === null) throw new CodedError('transient', 'the plan could not be stored');
    return { id: row.id, store, workspace, lease, isDry: true };
  }

  /** Called while the plan is made. False when it was ended meanwhile. */
  async keepLease({ id, lease }: PlannedRun): Promise<boolean> {
    return keepLease(this.db, 'sync_run', id, lease);
  }

  /** The plan whose row was made before. Throws `not_found` when it is gone. */
  async underWay(id: string): Promise<PlannedRun> {
    const run = await this.db.repository(SyncRunEntity).findOneBy({ id, state: 'planning' });
    if (run?.lease == null) throw new CodedError('not_found', `plan ${id} is gone`);
    return { id, store: run.store, workspace: run.workspace, lease: run.lease, isDry: true };
  }

  async finish(
    { id, lease }: PlannedRun,
    end: { kind: RunKind } & Pick<Required<SavedPlan>, 'counts' | 'entries' | 'incomplete' | 'deletes'>,
  ): Promise<void> {
    await this.db.affected(
      `UPDATE sync_action AS action SET link_before = coalesce((SELECT ${LINK_STANDING} FROM store_product AS link
         WHERE link.external_id = action.external_id), '') WHERE run_id = $1 AND state = 'draft'`,
      [id],
    );
    // The entries themselves say which products are concerned.
    await this.db.affected(
      `WITH held AS (${HELD_RUN}) DELETE FROM seen_product USING held WHERE run_id = held.id`,
      [id, lease],
    );
    const { kind, ...made } = end;
    const kept = await this.db.moves(
      `UPDATE sync_run SET state = 'planned', ${RELEASED}, kind = $3, plan = plan || $4::jsonb
       WHERE id = $1 AND lease = $2 AND state = 'planning'`,
      [id, lease, kind, json(made)],
    );
    if (!kept) throw planEnded();
  }

  /** Removes a plan that was not applied. */
  async remove(id: string): Promise<void> {
    await this.db.repository(SyncRunEntity).delete({ id, state: In([...PLAN_STATES]) });
    await removeNotes(this.db, id);
  }

  /** A plan that came to nothing stays to be asked about. */
  async fail({ id, lease }: PlannedRun, error: string): Promise<void> {
    await discardDrafts(this.db, { id, lease });
    await this.db.affected(
      `UPDATE sync_run SET state = 'not_planned', ${RELEASED}, error = $3 WHERE id = $1 AND lease = $2 AND state = 'planning'`,
      [id, lease, error],
    );
  }

  /** Null for an unknown id, and for a run that was never a plan for review. */
  async get(id: string): Promise<KeptPlan | null> {
    const run = await this.db.byId(SyncRunEntity, id);
    return run?.plan == null ? null : keptPlan(run);
  }

  /** One page in the order of the plan, and the number of entries that match. */
  async entries(
    planId: string,
    page: Omit<PageRequest, 'order'>,
    filter: PlanEntryFilter = {},
  ): Promise<ListPage<SyncActionEntity>> {
    return pageInOrder(
      this.#entries(planId, filter),
      {
        name: 'entries',
        by: 'entry.id',
        type: 'bigint',
        direction: 'ASC',
        key: 'entry.id',
        keyType: 'bigint',
        keyDirection: 'ASC',
      },
      { ...page, order: 'asc' },
    );
  }

  /** Entries of each kind that match the rest of the filter. */
  async entryKinds(
    planId: string,
    { kind: _kind, ...filter }: PlanEntryFilter,
  ): Promise<Record<string, number>> {
    return countedBy(this.#entries(planId, filter), 'entry.kind');
  }

  #entries(planId: string, { externalId, kind, search }: PlanEntryFilter) {
    const query = this.db
      .repository(SyncActionEntity)
      .createQueryBuilder('entry')
      .where({
        runId: planId,
        state: Not('dropped'),
        ...(externalId !== undefined && { externalId }),
        ...(kind !== undefined && { kind }),
      });
    if (search !== undefined)
      query.andWhere(
        '(entry.label ILIKE :pattern OR entry.external_id ILIKE :pattern OR entry.reason ILIKE :pattern)',
        { pattern: containing(search) },
      );
    return query;
  }

  /** The products of the plan, and whether each wants content. */
  async wanted(planId: string): Promise<{ externalId: string; generation: boolean }[]> {
    const rows = await this.db.repository(SyncActionEntity).find({
      select: { externalId: true, wantsGeneration: true },
      where: { runId: planId, state: Not('dropped') },
    });
    return rows.map(({ externalId, wantsGeneration }) => ({ externalId, generation: wantsGeneration }));
  }

  /** Takes a plan for its application, for a few minutes. Null while another process applies it. */
  async take({ id, store, workspace }: KeptPlan): Promise<PlannedRun | null> {
    const lease = randomUUID();
    const taken = await this.db.moves(
      `UPDATE sync_run SET lease = $2, lease_until = now() + interval '${APPLY_LEASE}'
       WHERE id = $1 AND state = 'planned' AND ${IS_FREE}`,
      [id, lease],
    );
    if (!taken) return null;
    // An application that died may have refused entries.
    await this.db.affected(
      `UPDATE sync_action SET error = NULL WHERE run_id = $1 AND state = 'draft' AND error IS NOT NULL`,
      [id],
    );
    return { id, store, workspace, lease, isDry: true };
  }

  /** Leaves a plan as it is, for a later application. */
  async release({ id, lease }: PlannedRun): Promise<void> {
    await this.db.affected(
      `UPDATE sync_run SET ${RELEASED} WHERE id = $1 AND lease = $2 AND state = 'planned'`,
      [id, lease],
    );
  }

  /** Entries in order, after the given one, each with the present state of its product's link. */
  async standing({ id, lease }: PlannedRun, after: string, limit: number): Promise<EntryStanding[]> {
    await this.db.affected(
      `UPDATE sync_run SET lease_until = now() + interval '${APPLY_LEASE}' WHERE id = $1 AND lease = $2 AND state = 'planned'`,
      [id, lease],
    );
    return this.db.read(
      standingRow,
      // SQL: the entries are compared with the links in one statement, by the clock of the database.
      `SELECT entry.*, link.written,
         coalesce((SELECT ${LINK_STANDING} FROM store_product AS link WHERE link.external_id = entry.external_id), '')
           IS DISTINCT FROM entry.link_before AS link_moved,
         EXISTS (SELECT 1 FROM sync_action AS action WHERE action.external_id = entry.external_id
           AND action.state = 'applied' AND action.settled_at > run.created_at) AS acted_since,
         ${isBeingWritten('link')} AS writing
       FROM sync_action AS entry JOIN sync_run AS run ON run.id = entry.run_id
       LEFT JOIN store_product AS link ON link.external_id = entry.external_id
       WHERE entry.run_id = $1 AND entry.state = 'draft' AND entry.id > $2 ORDER BY entry.id LIMIT $3`,
      [id, after, limit],
    );
  }

  /** Valid entries are compared with the product as it is now. A write-back must not compare with an older read. */
  async seenNow(
    { id, lease }: PlannedRun,
    entries: readonly Pick<SyncActionEntity, 'id' | 'seen'>[],
  ): Promise<void> {
    if (entries.length === 0) return;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       UPDATE sync_action AS action SET seen = row.seen FROM held, jsonb_to_recordset($3::jsonb) AS row(id bigint, seen jsonb)
       WHERE action.id = row.id AND action.run_id = held.id`,
      [id, lease, json(entries)],
    );
  }

  /** Refused entries become failed actions of the run once it is queued. */
  async refuse({ id, lease }: PlannedRun, refusals: readonly Refusal[]): Promise<void> {
    if (refusals.length === 0) return;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       UPDATE sync_action AS action SET error = jsonb_build_object('code', 'conflict', 'message', 'refused: ' || row.reason)
       FROM held, jsonb_to_recordset($3::jsonb) AS row(id bigint, reason text)
       WHERE action.id = row.id AND action.run_id = held.id AND action.state = 'draft'`,
      [id, lease, json(refusals)],
    );
  }

  /**
   * Makes a run of the plan, which is worked like any other, from its apply phase. The watermark stays: a plan is not a read. Throws
   * `conflict` when the plan was applied meanwhile, or another run of the store is active or has ended since `began`.
   */
  async queue(
    plan: PlannedRun,
    { by, counts, began }: { by: AppliedBy; counts: RunCounts; began: Date },
  ): Promise<void> {
    try {
      await this.db.transaction(async (runner) => {
        const other = await this.db.readOne(
          idRow,
          // SQL: compares with the start of the application, by the clock of the database.
          `SELECT id FROM sync_run WHERE store = $1 AND id <> $2 AND (state IN ('queued', 'running') OR finished_at > $3) LIMIT 1`,
          [plan.store, plan.id, began],
          runner,
        );
        if (other !== null) throw busy(plan.store, other.id);
        await this.db.affected(
          `UPDATE sync_action SET state = 'failed', settled_at = now() WHERE run_id = $1 AND state = 'draft' AND error IS NOT NULL`,
          [plan.id],
          runner,
        );
        const actions = new PlanActions(this.db, plan);
        await actions.supersedeOlder(runner);
        await claimIdentifiers(this.db, plan, runner);
        await actions.become(runner);
        const moved = await this.db.moves(
          `UPDATE sync_run SET state = 'queued', phase = 'apply', trigger = $3, requested_by = $5, counts = $4, created_at = now(), ${RELEASED}, plan = plan || jsonb_build_object('appliedAt', now())
           WHERE id = $1 AND lease = $2 AND state = 'planned'`,
          [plan.id, plan.lease, by.trigger, json(counts), by.requestedBy],
          runner,
        );
        if (!moved)
          throw new CodedError('conflict', `plan ${plan.id} was applied already: a plan is applied once`);
      });
    } catch (error) {
      // Two processes may pass the check at once: then the index that allows a store one active run refuses the second.
      if (isUniqueViolation(error)) throw busy(plan.store, null, error);
      throw error;
    }
    await removeNotes(this.db, plan.id).catch(() => undefined);
  }
}

// SQL: the link of a product as a text.
const LINK_STANDING = `concat_ws('|', link.state, coalesce(link.catalog_id, '-'), coalesce(link.source_fingerprint, '-'))`;

const PLAN_STATE_NAMES: ReadonlyMap<string, 'planning' | 'saved' | 'failed'> = new Map([
  ['planning', 'planning'],
  ['planned', 'saved'],
  ['not_planned', 'failed'],
]);

/** A plan for review as people know it. Its row is that of the run which applies it. Throws for a run that was never such a plan. */
export function keptPlan({ id, store, workspace, kind, state, error, plan }: SyncRunEntity) {
  if (plan === null) throw new TypeError(`run ${id} is no plan`);
  const unapplied = PLAN_STATE_NAMES.get(state);
  return {
    ...plan,
    id,
    store,
    workspace,
    kind,
    state: unapplied ?? ('applied' as const),
    error: unapplied === undefined ? null : error,
    runId: unapplied === undefined ? id : null,
    createdAt: new Date(plan.createdAt),
    appliedAt: plan.appliedAt === null ? null : new Date(plan.appliedAt),
  };
}
export type KeptPlan = Readonly<ReturnType<typeof keptPlan>>;

function busy(store: string, runId: string | null, cause?: unknown): CodedError {
  const which = runId === null ? 'another run' : `run ${runId}`;
  return new CodedError(
    'conflict',
    `${which} of store ${store} is active or has just ended: apply the plan again once it has ended`,
    { cause },
  );
}
