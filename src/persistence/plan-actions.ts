import { MoreThan, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import { errorLine } from '../domain/errors.js';
import type { OwedCode } from '../domain/owed.js';
import { foldedIdentifier } from '../domain/identifier-text.js';
import { ACTION_TRANSITIONS, statesBefore } from '../domain/row-states.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { json, type Database } from './database.js';
import { SyncActionEntity } from './entities/sync-action.entity.js';
import { NOTE_OWED } from './owed.repository.js';
import { HELD_RUN } from './plan-drafts.js';
import type { NewAction, PlannedRun } from './plan-rows.js';
import { counted } from './rows.js';
import { isRefusedValue } from './statement-error.js';

/** An action, and what is planned for it now that the identity of its product is settled. */
export interface ReplacedAction {
  readonly id: string;
  readonly change: Pick<
    NewAction,
    'kind' | 'catalogId' | 'reason' | 'fields' | 'withheld' | 'wantsGeneration'
  >;
}

/** An action that came to nothing, and the identifiers that are withheld from its product. */
export interface DroppedAction {
  readonly id: string;
  readonly withheld: readonly WithheldIdentifier[];
}

/** An action whose product is owed instead. */
export interface UndecidedAction extends Pick<SyncActionEntity, 'id' | 'externalId' | 'storeId' | 'label'> {
  readonly code: OwedCode;
  readonly detail: string;
}

/**
 * The actions that a plan consists of.
 *
 * SQL: the writes of a plan cover many rows each, and are guarded by the lease of its run.
 */
export class PlanActions {
  constructor(
    private readonly db: Database,
    private readonly run: PlannedRun,
  ) {}

  /**
   * Adds actions, and notes the identifiers of their products. An action with a value that the database refuses is added as failed, and its
   * product is owed; the others are not affected.
   */
  async add(actions: readonly NewAction[]): Promise<void> {
    if (actions.length === 0) return;
    try {
      await this.#insert(actions);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      const [first] = actions;
      if (actions.length > 1) for (const action of actions) await this.add([action]);
      else if (first) await this.#addFailed(first, errorLine(error));
    }
  }

  async #insert(actions: readonly NewAction[]): Promise<void> {
    const { id, lease, store } = this.run;
    const identifiers = actions.flatMap(({ externalId, identifiers: own }) =>
      (own ?? []).map((each) => ({ ...each, folded: foldedIdentifier(each.value), product: externalId })),
    );
    await this.db.affected(
      `WITH held AS (${HELD_RUN}), noted AS (
         INSERT INTO planned_identifier (run_id, kind, folded, value, owner, product)
         SELECT held.id, kind, folded, value, owner, product
         FROM held, jsonb_to_recordset($5::jsonb) AS row(kind text, folded text, value text, owner text, product text) ON CONFLICT DO NOTHING
       )
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, fields, body, withheld,
         source_fingerprint, seen, wants_generation, recreated, state)
       SELECT held.id, $3, "externalId", "storeId", label, kind, "catalogId", reason, fields, body, withheld, "sourceFingerprint", seen,
         "wantsGeneration", recreated, 'draft'
       FROM held, jsonb_to_recordset($4::jsonb) AS row("externalId" text, "storeId" text, label text, kind text, "catalogId" text,
         reason text, fields jsonb, body jsonb, withheld jsonb, "sourceFingerprint" text, seen jsonb, "wantsGeneration" boolean,
         recreated boolean)`,
      [id, lease, store, json(actions), json(identifiers)],
    );
  }

  /** The product by name, without the texts that the database refused. */
  async #addFailed(action: NewAction, message: string): Promise<void> {
    const { id, lease, store, isDry } = this.run;
    const { externalId, storeId, kind, catalogId } = action;
    const label = action.label.toWellFormed().replaceAll('\u0000', '');
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, state, error, settled_at)
       SELECT held.id, $3, $4, $5, $6, $7, $8, 'not stored', 'failed', $9::jsonb, now() FROM held`,
      [id, lease, store, externalId, storeId, label, kind, catalogId, json({ code: 'invalid', message })],
    );
    if (isDry) return;
    const owed = { externalId, storeId, label, code: 'refused', detail: message };
    await this.db.affected(NOTE_OWED, [json([owed]), store]);
  }

  /** Replaces what was planned for actions. Their bodies stay as they are. */
  async replace(actions: readonly ReplacedAction[]): Promise<void> {
    if (actions.length === 0) return;
    const { id, lease } = this.run;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       UPDATE sync_action AS action SET kind = row.kind, catalog_id = row."catalogId", reason = row.reason, fields = row.fields,
         withheld = row.withheld, wants_generation = row."wantsGeneration"
       FROM held, jsonb_to_recordset($3::jsonb) AS row(id bigint, kind text, "catalogId" text, reason text, fields jsonb, withheld jsonb,
         "wantsGeneration" boolean)
       WHERE action.id = row.id AND action.state = 'draft'`,
      [id, lease, json(actions.map((action) => ({ ...action.change, id: action.id })))],
    );
  }

  /** Actions that came to nothing once identifiers were withheld. Their products remember which, once the plan is made. */
  async drop(actions: readonly DroppedAction[]): Promise<void> {
    if (actions.length === 0) return;
    const { id, lease } = this.run;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       UPDATE sync_action AS action SET state = 'dropped', withheld = row.withheld
       FROM held, jsonb_to_recordset($3::jsonb) AS row(id bigint, withheld jsonb) WHERE action.id = row.id AND action.state = 'draft'`,
      [id, lease, json(actions)],
    );
  }

  /** Drops actions whose products are owed instead. The identifiers that they have stay claimed. */
  async setAside(actions: readonly UndecidedAction[]): Promise<void> {
    if (actions.length === 0) return;
    const { id, lease, store, isDry } = this.run;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       UPDATE sync_action AS action SET state = 'dropped', error = jsonb_build_object('code', row.code, 'message', row.detail)
       FROM held, jsonb_to_recordset($3::jsonb) AS row(id bigint, code text, detail text)
       WHERE action.id = row.id AND action.state = 'draft'`,
      [id, lease, json(actions)],
    );
    if (isDry) return;
    await this.db.affected(NOTE_OWED, [json(actions.map(({ id: _id, ...owed }) => owed)), store]);
  }

  /** Removes the actions of products that are planned again. Returns the products that had one. */
  async withdraw(externalIds: readonly string[]): Promise<Set<string>> {
    const { id, lease } = this.run;
    const withdrawn = await this.db.texts(
      `WITH held AS (${HELD_RUN}), claims AS (
         DELETE FROM planned_identifier AS planned USING held WHERE planned.run_id = held.id AND planned.product = ANY($3)
       )
       DELETE FROM sync_action AS action USING held WHERE action.run_id = held.id AND action.external_id = ANY($3) RETURNING external_id`,
      [id, lease, externalIds],
    );
    return new Set(withdrawn);
  }

  /** Linked products that the read did not meet: their source is gone. Only for a read that is proved complete. */
  async planOrphans(keepUnread: ReadonlySet<string>): Promise<void> {
    await this.#planGone(
      'no longer in the store',
      [...keepUnread],
      `external_id <> ALL($5)
      AND NOT EXISTS (SELECT 1 FROM seen_product AS seen WHERE seen.run_id = $1 AND seen.external_id = product.external_id)`,
    );
  }

  /** Linked products that the store no longer knows by their id. */
  async planGone(storeIds: readonly string[]): Promise<void> {
    if (storeIds.length > 0) await this.#planGone('deleted in the store', storeIds, 'store_id = ANY($5)');
  }

  async #planGone(reason: string, ids: readonly string[], condition: string): Promise<void> {
    const { id, lease, store } = this.run;
    await this.db.affected(
      `WITH held AS (${HELD_RUN})
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, state)
       SELECT held.id, store, external_id, store_id, label, 'orphan', catalog_id, $4, 'draft'
       FROM held, store_product AS product WHERE store = $3 AND product.state <> 'orphaned' AND ${condition} ON CONFLICT DO NOTHING`,
      [id, lease, store, reason, ids],
    );
  }

  async counts(): Promise<PlannedCounts> {
    const { id, store } = this.run;
    return this.db.one(
      plannedCounts,
      // SQL: all counts in one pass.
      `SELECT (SELECT count(*) FROM store_product WHERE store = $2 AND state IN ('linked', 'conflicted')) AS linked,
         count(*) FILTER (WHERE state <> 'dropped') AS entries,
         count(*) FILTER (WHERE state <> 'dropped' AND (kind IN ('adopt', 'update') OR recreated)) AS changes,
         count(*) FILTER (WHERE state <> 'dropped' AND kind = 'create') AS creates,
         count(*) FILTER (WHERE state <> 'dropped' AND kind IN ('adopt', 'update')) AS updates,
         count(*) FILTER (WHERE state <> 'dropped' AND kind = 'orphan' AND fields = '[]') AS orphans,
         count(*) FILTER (WHERE withheld <> '[]' AND error IS NULL) + (SELECT count(*) FROM store_product AS product
           WHERE store = $2 AND withheld <> '[]'
             AND EXISTS (SELECT 1 FROM seen_product AS seen WHERE seen.run_id = $1 AND seen.external_id = product.external_id)
             AND NOT EXISTS (SELECT 1 FROM sync_action AS own WHERE own.run_id = $1 AND own.external_id = product.external_id
               AND own.error IS NULL)) AS conflicted
       FROM sync_action WHERE run_id = $1`,
      [id, store],
    );
  }

  async *all(batch = 500): AsyncGenerator<SyncActionEntity[]> {
    const actions = this.db.repository(SyncActionEntity);
    for (let after = '0'; ;) {
      const rows = await actions.find({
        where: { runId: this.run.id, state: 'draft', id: MoreThan(after) },
        order: { id: 'ASC' },
        take: batch,
      });
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /** The drafts become actions that the run carries out. */
  async become(runner: QueryRunner): Promise<void> {
    await this.db.affected(
      `UPDATE sync_action SET state = 'planned' WHERE run_id = $1 AND state = 'draft'`,
      [this.run.id],
      runner,
    );
  }

  /** Older unfinished actions of products in this plan are superseded. */
  async supersedeOlder(runner: QueryRunner): Promise<void> {
    const { id, store } = this.run;
    await this.db.affected(
      `UPDATE sync_action AS old SET state = 'superseded', settled_at = now()
       WHERE old.store = $2 AND old.run_id <> $1 AND old.state = ANY($3)
         AND (EXISTS (SELECT 1 FROM seen_product AS seen WHERE seen.run_id = $1 AND seen.external_id = old.external_id)
           OR EXISTS (SELECT 1 FROM sync_action AS own WHERE own.run_id = $1 AND own.external_id = old.external_id
             AND own.state = 'draft'))`,
      [id, store, statesBefore(ACTION_TRANSITIONS, 'superseded')],
      runner,
    );
  }
}

export type PlannedCounts = z.infer<typeof plannedCounts>;

const plannedCounts = z.object({
  linked: counted,
  entries: counted,
  changes: counted,
  creates: counted,
  updates: counted,
  orphans: counted,
  conflicted: counted,
});
