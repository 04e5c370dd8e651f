import { Injectable } from '@nestjs/common';
import { Not, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';
import type { RunCounts } from '../domain/run-counts.js';
import type { WrittenContent } from '../domain/written-content.js';
import { json, uuid, Database } from './database.js';
import type { StoredActionKind } from './entities/planned-change.js';
import { SavedPlanEntity, SavedPlanEntryEntity, type PlanCounts } from './entities/saved-plan.entity.js';
import { SyncActionEntity } from './entities/sync-action.entity.js';
import type { RunKind, RunTrigger } from './entities/sync-run.entity.js';
import { containing } from './like-pattern.js';
import type { ListPage, PageRequest } from './listing.repository.js';
import { ACTION_COLUMNS } from './plan-rows.js';
import { RowColumns } from './row-columns.js';
import { counted, idRow, isObjectOrNull } from './row-reader.js';
import { isUniqueViolation } from './statement-error.js';

const standingRow = z.object({
  written: z.custom<WrittenContent | null>(isObjectOrNull),
  /** True when the link is not what it was when the plan was made. */
  linkMoved: z.boolean(),
  /** True when a run has carried out another action of the product since. */
  actedSince: z.boolean(),
  /** True while a write-back may be half way through. */
  writing: z.boolean(),
});

/** An entry beside its product's link as it stands now. */
export type EntryStanding = SavedPlanEntryEntity & z.infer<typeof standingRow>;

const DECIDED = { externalId: true, kind: true, catalogId: true, fields: true, withheld: true } as const;
type Decided = Pick<SyncActionEntity, keyof typeof DECIDED>;
/** The decision about a product in the plan, and the present one; without the bodies, which are large. */
export type ResolvedEntry = Decided & Pick<SavedPlanEntryEntity, 'position'>;
export type ResolvedAction = Decided & Pick<SyncActionEntity, 'reason'>;

export interface Refusal {
  readonly position: string;
  readonly reason: string;
}

/** Which entries of a plan are meant. An absent part selects everything. */
export interface PlanEntryFilter {
  readonly externalId?: string | undefined;
  readonly kind?: StoredActionKind | undefined;
  /** Part of a title, an external_id or a reason. */
  readonly search?: string | undefined;
}

/** The columns of entries that are added. */
const ENTRIES = new RowColumns({ id: 'bigint', ...ACTION_COLUMNS });

const entryOf = (action: SyncActionEntity) => ({
  id: action.id,
  externalId: action.externalId,
  storeId: action.storeId,
  label: action.label,
  kind: action.kind,
  catalogId: action.catalogId,
  reason: action.reason,
  fields: json(action.fields),
  body: action.body && json(action.body),
  withheld: json(action.withheld),
  sourceFingerprint: action.sourceFingerprint,
  wantsGeneration: action.wantsGeneration,
});

const kindCounts = z.array(z.object({ kind: z.string(), count: counted }));

/** Drafts that nobody finished: their process died while it planned. */
const DRAFT_LIFE = '1 day';

/**
 * Plans kept for review, and their one application (docs/decisions/0022-saved-plans-are-exact.md).
 *
 * SQL: each write is guarded by the state of the plan, or copies all entries in one statement.
 */
@Injectable()
export class SavedPlanRepository {
  constructor(private readonly db: Database) {}

  /** A draft, made before the store is read. */
  async begin(store: string, workspace: string): Promise<string> {
    await this.db.affected(
      `DELETE FROM saved_plan WHERE state = 'planning' AND created_at < now() - interval '${DRAFT_LIFE}'`,
    );
    const plans = this.db.repository(SavedPlanEntity);
    const plan = await plans.save(plans.create({ store, workspace }));
    return plan.id;
  }

  async addEntries(planId: string, actions: readonly SyncActionEntity[]): Promise<void> {
    await this.db.affected(
      `INSERT INTO saved_plan_entry (plan_id, position, external_id, store_id, label, kind, catalog_id, reason, fields, body,
         withheld, source_fingerprint, wants_generation, link_state, link_catalog_id, link_source_fingerprint)
       SELECT $1, row.id, "externalId", "storeId", row.label, row.kind, "catalogId", row.reason, row.fields, row.body,
         row.withheld, "sourceFingerprint", "wantsGeneration", link.state, link.catalog_id, link.source_fingerprint
       FROM ${ENTRIES.from(2)} AS row
       LEFT JOIN store_product AS link ON link.external_id = row."externalId"`,
      [planId, ...ENTRIES.values(actions.map(entryOf))],
    );
  }

  async finish(
    planId: string,
    end: { kind: RunKind; counts: PlanCounts; incomplete: string | null },
  ): Promise<void> {
    await this.db.affected(
      `UPDATE saved_plan SET state = 'saved', kind = $2, counts = $3, incomplete = $4,
         entries = (SELECT count(*) FROM saved_plan_entry WHERE plan_id = $1) WHERE id = $1 AND state = 'planning'`,
      [planId, end.kind, json(end.counts), end.incomplete],
    );
  }

  async discard(planId: string): Promise<void> {
    await this.db.repository(SavedPlanEntity).delete({ id: planId, state: Not('applied') });
  }

  /** A draft that came to nothing stays to be asked about. */
  async fail(planId: string, error: string): Promise<void> {
    await this.db.affected(
      `UPDATE saved_plan SET state = 'failed', error = $2 WHERE id = $1 AND state = 'planning'`,
      [planId, error],
    );
  }

  async get(id: string): Promise<SavedPlanEntity | null> {
    const known = uuid(id);
    return known === null ? null : this.db.repository(SavedPlanEntity).findOneBy({ id: known });
  }

  /** One page in the order of the plan, and the number of entries that match. */
  async entries(
    planId: string,
    { limit, offset }: Pick<PageRequest, 'limit' | 'offset'>,
    filter: PlanEntryFilter = {},
  ): Promise<ListPage<SavedPlanEntryEntity>> {
    const [rows, total] = await this.#entries(planId, filter)
      .orderBy('entry.position')
      .limit(limit)
      .offset(offset)
      .getManyAndCount();
    return { rows, total };
  }

  /** Entries of each kind that match the rest of the filter. */
  async entryKinds(
    planId: string,
    { kind: _kind, ...filter }: PlanEntryFilter,
  ): Promise<Record<string, number>> {
    const rows: unknown = await this.#entries(planId, filter)
      .select('entry.kind', 'kind')
      .addSelect('count(*)', 'count')
      .groupBy('entry.kind')
      .getRawMany();
    return Object.fromEntries(kindCounts.parse(rows).map(({ kind, count }) => [kind, count]));
  }

  #entries(planId: string, { externalId, kind, search }: PlanEntryFilter) {
    const query = this.db
      .repository(SavedPlanEntryEntity)
      .createQueryBuilder('entry')
      .where({
        planId,
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
    const rows = await this.db.repository(SavedPlanEntryEntity).find({
      select: { externalId: true, wantsGeneration: true },
      where: { planId },
    });
    return rows.map(({ externalId, wantsGeneration }) => ({ externalId, generation: wantsGeneration }));
  }

  /** Entries in order, after the given position, each with the present state of its product's link. */
  async standing(planId: string, after: string, limit: number): Promise<EntryStanding[]> {
    return this.db.read(
      this.db.reader(SavedPlanEntryEntity).and(standingRow),
      // SQL: the entries are compared with the links in one statement, by the clock of the database.
      `SELECT entry.*, link.written,
         (link.state, link.catalog_id, link.source_fingerprint)
           IS DISTINCT FROM (entry.link_state, entry.link_catalog_id, entry.link_source_fingerprint) AS link_moved,
         EXISTS (SELECT 1 FROM sync_action AS action WHERE action.external_id = entry.external_id
           AND action.state = 'applied' AND action.settled_at > plan.created_at) AS acted_since,
         coalesce(link.write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
           WHERE external_id = entry.external_id AND state = 'ready' AND sent <> '{}') AS writing
       FROM saved_plan_entry AS entry JOIN saved_plan AS plan ON plan.id = entry.plan_id
       LEFT JOIN store_product AS link ON link.external_id = entry.external_id
       WHERE entry.plan_id = $1 AND entry.position > $2 ORDER BY entry.position LIMIT $3`,
      [planId, after, limit],
    );
  }

  /** The run's actions beside the entries that they came from; null where none is left. */
  async resolved(
    runner: QueryRunner,
    planId: string,
    runId: string,
  ): Promise<{ entry: ResolvedEntry; action: ResolvedAction | null }[]> {
    const entries = await runner.manager.getRepository(SavedPlanEntryEntity).find({
      select: { position: true, ...DECIDED },
      where: { planId, kind: Not('orphan') },
      order: { position: 'ASC' },
    });
    const actions = await runner.manager
      .getRepository(SyncActionEntity)
      .find({ select: { reason: true, ...DECIDED }, where: { runId } });
    const byProduct = new Map(actions.map((action) => [action.externalId, action]));
    return entries.map((entry) => ({ entry, action: byProduct.get(entry.externalId) ?? null }));
  }

  /** Refused entries become failed actions of the run, in place of what would have been carried out. */
  async refuse(
    runner: QueryRunner,
    planId: string,
    run: { id: string; store: string },
    refusals: readonly Refusal[],
  ): Promise<void> {
    if (refusals.length === 0) return;
    const rows = json(refusals);
    await runner.query(
      `DELETE FROM sync_action AS action USING saved_plan_entry AS entry, jsonb_to_recordset($2::jsonb) AS row(position bigint)
       WHERE action.run_id = $3 AND entry.plan_id = $1 AND entry.position = row.position
         AND action.external_id = entry.external_id`,
      [planId, rows, run.id],
    );
    await runner.query(
      `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, fields, body, withheld,
         source_fingerprint, state, error, settled_at)
       SELECT $3, $4, entry.external_id, entry.store_id, entry.label, entry.kind, entry.catalog_id, entry.reason, entry.fields,
         entry.body, entry.withheld, entry.source_fingerprint, 'failed',
         jsonb_build_object('code', 'conflict', 'message', 'refused: ' || row.reason), now()
       FROM saved_plan_entry AS entry, jsonb_to_recordset($2::jsonb) AS row(position bigint, reason text)
       WHERE entry.plan_id = $1 AND entry.position = row.position`,
      [planId, rows, run.id, run.store],
    );
  }

  /**
   * Ends the transaction in which a plan was turned into a run: from here on the run is worked like any other, from its
   * apply phase. The watermark stays: a plan is not a read. Throws `conflict` when the plan was applied meanwhile, or another
   * run of the store is active or has ended since this transaction began.
   */
  async commitRun(
    runner: QueryRunner,
    plan: SavedPlanEntity,
    run: { id: string; trigger: RunTrigger; counts: RunCounts },
  ): Promise<void> {
    const taken = await this.db.affected(
      `UPDATE saved_plan SET state = 'applied', run_id = $2, applied_at = now() WHERE id = $1 AND state = 'saved'`,
      [plan.id, run.id],
      runner,
    );
    if (taken !== 1)
      throw new CodedError('conflict', `plan ${plan.id} was applied already: a plan is applied once`);
    const other = await this.db.readOne(
      idRow,
      // SQL: compares with the start of the transaction, which is `now()` of the database.
      `SELECT id FROM sync_run WHERE store = $1 AND id <> $2 AND (state IN ('queued', 'running') OR finished_at > now()) LIMIT 1`,
      [plan.store, run.id],
      runner,
    );
    if (other) throw busy(plan.store, other.id);
    await runner.query(
      `UPDATE sync_action AS old SET state = 'superseded', settled_at = now() FROM sync_action AS planned
       WHERE planned.run_id = $1 AND planned.state = 'planned' AND old.external_id = planned.external_id
         AND old.run_id <> $1 AND old.state IN ('planned', 'failed')`,
      [run.id],
    );
    try {
      await runner.query(
        `UPDATE sync_run SET state = 'queued', phase = 'apply', kind = $2, trigger = $3, counts = $4
         WHERE id = $1 AND state = 'failed'`,
        [run.id, plan.kind, run.trigger, json(run.counts)],
      );
    } catch (error) {
      // The index that allows a store one active run has the last word.
      if (isUniqueViolation(error)) throw busy(plan.store, null, error);
      throw error;
    }
    await runner.commitTransaction();
  }
}

function busy(store: string, runId: string | null, cause?: unknown): CodedError {
  const which = runId === null ? 'another run' : `run ${runId}`;
  return new CodedError(
    'conflict',
    `${which} of store ${store} is active or has just ended: apply the plan again once it has ended`,
    { cause },
  );
}
