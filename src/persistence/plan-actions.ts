import { MoreThan } from 'typeorm';
import { z } from 'zod';
import { ACTION_TRANSITIONS, statesBefore } from '../domain/row-states.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { errorLine } from '../domain/errors.js';
import { foldedIdentifier } from '../domain/identifier-text.js';
import { json } from './database.js';
import { SyncActionEntity } from './entities/sync-action.entity.js';
import type { PlanOwed } from './plan-owed.js';
import { ACTION_COLUMNS, type NewAction, type PlannedAction } from './plan-rows.js';
import type { PlanSession } from './plan-session.js';
import { RowColumns } from './row-columns.js';
import { counted } from './row-reader.js';
import { isRefusedValue, isUniqueViolation } from './statement-error.js';

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
  readonly externalId: string;
  readonly withheld: readonly WithheldIdentifier[];
}

/**
 * The actions that a plan consists of.
 *
 * SQL: the writes of a plan cover thousands of rows each, and read scratch tables that no entity describes.
 */
export class PlanActions {
  constructor(
    private readonly session: PlanSession,
    private readonly owed: PlanOwed,
  ) {}

  /**
   * Adds actions and, where they say so, replaces what is known of their products' identifiers. An action with a value that the
   * database refuses is added as failed, and its product is owed; the others are not affected.
   */
  async add(actions: readonly PlannedAction[]): Promise<void> {
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

  /** The product by name, without the texts that the database refused. */
  async #addFailed(action: PlannedAction, message: string): Promise<void> {
    const { id, store } = this.session.run;
    const { externalId, storeId, kind, catalogId } = action;
    const label = action.label.toWellFormed().replaceAll('\u0000', '');
    await this.session.affected(
      `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, state, error, settled_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 'not stored', 'failed', $8, now())`,
      [id, store, externalId, storeId, label, kind, catalogId, json({ code: 'invalid', message })],
    );
    await this.owed.putOff([{ externalId, storeId, label, code: 'refused', detail: message }]);
  }

  /**
   * Most identifiers of a first load are new. To insert them without a look for the same ones takes a third less time. Where one is there
   * already, because another store noted it, nothing has been added, and all are inserted with that look.
   */
  async #insert(actions: readonly PlannedAction[]): Promise<void> {
    try {
      await this.#insertAll(actions, { looksForAll: false });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await this.#insertAll(actions, { looksForAll: true });
    }
  }

  /** Unless `looksForAll`, products that have no identifiers yet get theirs without a look for the same ones: that may be a unique violation. */
  async #insertAll(
    actions: readonly PlannedAction[],
    { looksForAll }: { readonly looksForAll: boolean },
  ): Promise<void> {
    const { id, store, workspace } = this.session.run;
    // SQL: one bulk statement, so that the database works while the next products are planned.
    await this.session.attempt(
      `WITH planned AS MATERIALIZED (
         SELECT * FROM ${PLANNED_ROWS} AS row
       ), claim AS MATERIALIZED (
         SELECT * FROM ${CLAIMED_ROWS} AS row
       ), known AS MATERIALIZED (
         -- Each product by itself. A first load has no statistics yet, and a join would read all that it has inserted so far.
         SELECT had.* FROM planned CROSS JOIN LATERAL (
           SELECT * FROM product_identifier WHERE store = $2 AND product = planned."externalId" OFFSET 0
         ) AS had WHERE planned.claims
       ), first_claims AS (
         INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
         SELECT $3, kind, folded, value, owner, $2, product FROM claim
         WHERE NOT $4 AND NOT EXISTS (SELECT 1 FROM known WHERE known.product = claim.product)
       ), other_claims AS (
         INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
         SELECT $3, kind, folded, value, owner, $2, product FROM claim
         WHERE $4 OR EXISTS (SELECT 1 FROM known WHERE known.product = claim.product)
         ON CONFLICT (workspace, kind, folded, owner) DO UPDATE SET wanted = true, value = excluded.value
       ), given_up AS (
         SELECT known.workspace, known.kind, known.folded, known.owner, EXISTS (SELECT 1 FROM store_product AS product
           WHERE product.external_id = known.product AND product.withheld @>
             jsonb_build_array(jsonb_build_object('kind', known.kind, 'value', known.value, 'owner', known.owner))) AS withheld
         FROM known WHERE NOT EXISTS (SELECT 1 FROM claim WHERE known.workspace = $3 AND claim.kind = known.kind
           AND claim.folded = known.folded AND claim.owner = known.owner)
       ), never_sent AS (
         DELETE FROM product_identifier AS known USING given_up AS old WHERE old.withheld AND known.workspace = old.workspace
           AND known.kind = old.kind AND known.folded = old.folded AND known.owner = old.owner
       ), to_release AS (
         -- The catalog may still hold them: they are kept until they are released there.
         UPDATE product_identifier AS known SET wanted = false FROM given_up AS old WHERE NOT old.withheld
           AND known.workspace = old.workspace AND known.kind = old.kind AND known.folded = old.folded AND known.owner = old.owner
       )
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, fields, body, withheld,
         source_fingerprint, seen, wants_generation, recreated)
       SELECT $1, $2, "externalId", "storeId", label, kind, "catalogId", reason, fields, body, withheld, "sourceFingerprint",
         seen, "wantsGeneration", recreated FROM planned`,
      [
        id,
        store,
        workspace,
        looksForAll,
        ...PLANNED.values(actions.map((action) => ({ ...action, claims: action.identifiers !== null }))),
        ...CLAIMED.values(actions.flatMap(claimsOf)),
      ],
    );
  }

  /** Replaces what was planned for actions. Their bodies stay as they are. */
  async replace(actions: readonly ReplacedAction[]): Promise<void> {
    if (actions.length === 0) return;
    const rows = actions.map(({ id, change }) => ({
      ...change,
      id,
      fields: json(change.fields),
      withheld: json(change.withheld),
    }));
    await this.session.affected(
      `UPDATE sync_action AS action SET kind = row.kind, catalog_id = row."catalogId", reason = row.reason, fields = row.fields,
         withheld = row.withheld, wants_generation = row."wantsGeneration"
       FROM ${REPLACED.from(1)} AS row WHERE action.id = row.id`,
      REPLACED.values(rows),
    );
  }

  /** Removes actions whose products are owed instead. The identifiers that they claim stay claimed. */
  async setAside(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.session.affected('DELETE FROM sync_action WHERE id = ANY($1)', [ids]);
  }

  /** Removes the actions of products that are planned again. Returns the products that had one. */
  async withdraw(externalIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.session.read(
      z.object({ externalId: z.string() }),
      'DELETE FROM sync_action WHERE run_id = $1 AND external_id = ANY($2) RETURNING external_id',
      [this.session.run.id, externalIds],
    );
    return new Set(rows.map((row) => row.externalId));
  }

  /**
   * Removes actions that came to nothing once identifiers were withheld. The products remember which. Most of them remember the same ones
   * already, because such a product is planned in every run: their rows are not written again.
   */
  async drop(actions: readonly DroppedAction[]): Promise<void> {
    if (actions.length === 0) return;
    await this.setAside(actions.map(({ id }) => id));
    // An identifier that was withheld was never sent: there is nothing to release.
    await this.session.affected(
      `DELETE FROM product_identifier AS known USING store_product AS product
       WHERE product.external_id = ANY($1) AND known.store = product.store AND known.product = product.external_id AND NOT known.wanted
         AND product.withheld @> jsonb_build_array(jsonb_build_object('kind', known.kind, 'value', known.value, 'owner', known.owner))`,
      [actions.map(({ externalId }) => externalId)],
    );
    const rows = actions.map(({ externalId, withheld }) => ({ externalId, withheld: json(withheld) }));
    await this.session.affected(
      // The state is that of the row as it is when it is locked: another transaction may have changed it since the plan read it.
      `UPDATE store_product AS product SET withheld = row.withheld, state = ${STATE_WITH_WITHHELD}
       FROM ${WITHHELD.from(1)} AS row WHERE product.external_id = row."externalId"
         AND (product.withheld, product.state) IS DISTINCT FROM (row.withheld, ${STATE_WITH_WITHHELD})`,
      WITHHELD.values(rows),
    );
  }

  /** Linked products that the read did not meet: their source is gone. Only for a read that is proved complete. */
  async planOrphans(keepUnread: ReadonlySet<string>): Promise<number> {
    const { id, store } = this.session.run;
    return this.session.affected(
      `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason)
       SELECT $1, store, external_id, store_id, label, 'orphan', catalog_id, 'no longer in the store'
       FROM store_product AS product WHERE store = $2 AND state <> 'orphaned' AND external_id <> ALL($3)
         AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.external_id = product.external_id)`,
      [id, store, [...keepUnread]],
    );
  }

  /** Linked products that the store no longer knows by their id. */
  async planGone(storeIds: readonly string[]): Promise<void> {
    if (storeIds.length === 0) return;
    const { id, store } = this.session.run;
    await this.session.affected(
      `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason)
       SELECT $1, store, external_id, store_id, label, 'orphan', catalog_id, 'deleted in the store'
       FROM store_product WHERE store = $2 AND store_id = ANY($3) AND state <> 'orphaned' ON CONFLICT DO NOTHING`,
      [id, store, storeIds],
    );
  }

  /**
   * Orphans of this store that hold, as the catalog showed, an identifier which another product has now: they release it. Their
   * actions name the fields that they give up.
   */
  async planReleases(): Promise<void> {
    const { id, store, workspace } = this.session.run;
    await this.session.affected(
      `WITH held AS (
         SELECT DISTINCT holder.kind, holder.value, product.external_id FROM holder
         JOIN store_product AS product ON product.external_id = holder.external_id AND product.store = $2
           AND product.state = 'orphaned' AND product.catalog_id = holder.catalog_id
         WHERE NOT holder.is_variant AND EXISTS (SELECT 1 FROM product_identifier AS other WHERE other.workspace = $3
           AND other.kind = holder.kind AND other.folded = holder.value AND other.wanted AND other.product <> product.external_id)
       ), noted AS (
         INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product, wanted)
         SELECT $3, kind, value, value, external_id, $2, external_id, false FROM held ON CONFLICT DO NOTHING
       )
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, catalog_id, reason, fields)
       SELECT $1, product.store, product.external_id, product.store_id, product.label, 'orphan', product.catalog_id,
         'gone from the store; another product needs an identifier that it holds', given.fields
       FROM (SELECT external_id, jsonb_agg(DISTINCT kind) AS fields FROM held GROUP BY external_id) AS given
       JOIN store_product AS product USING (external_id)
       WHERE NOT EXISTS (SELECT 1 FROM sync_action AS own WHERE own.run_id = $1 AND own.external_id = product.external_id)`,
      [id, store, workspace],
    );
  }

  async counts(): Promise<PlannedCounts> {
    const { id, store } = this.session.run;
    const row = await this.session.readOne(
      plannedCounts,
      // SQL: all counts in one pass, with the scratch table of the read.
      `SELECT (SELECT count(*) FROM store_product WHERE store = $2 AND state IN ('linked', 'conflicted')) AS linked,
         count(*) FILTER (WHERE kind IN ('adopt', 'update') OR recreated) AS changes,
         count(*) FILTER (WHERE kind = 'create') AS creates, count(*) FILTER (WHERE kind IN ('adopt', 'update')) AS updates,
         count(*) FILTER (WHERE kind = 'orphan' AND fields = '[]') AS orphans,
         count(*) FILTER (WHERE withheld <> '[]') + (SELECT count(*) FROM store_product AS product
           WHERE store = $2 AND withheld <> '[]' AND EXISTS (SELECT 1 FROM seen WHERE seen.external_id = product.external_id)
             AND NOT EXISTS (SELECT 1 FROM sync_action WHERE run_id = $1 AND external_id = product.external_id)) AS conflicted
       FROM sync_action WHERE run_id = $1`,
      [id, store],
    );
    return row ?? { linked: 0, changes: 0, creates: 0, updates: 0, orphans: 0, conflicted: 0 };
  }

  async *all(batch = 500): AsyncGenerator<SyncActionEntity[]> {
    let after = '0';
    for (;;) {
      const rows = await this.session.find(SyncActionEntity, {
        where: { runId: this.session.run.id, id: MoreThan(after) },
        order: { id: 'ASC' },
        take: batch,
      });
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /** Older unfinished actions of products in this plan are superseded. */
  async supersedeOlder(): Promise<void> {
    const { id, store } = this.session.run;
    await this.session.affected(
      `UPDATE sync_action AS old SET state = 'superseded', settled_at = now()
       WHERE old.store = $2 AND old.run_id <> $1 AND old.state = ANY($3)
         AND (EXISTS (SELECT 1 FROM seen WHERE seen.external_id = old.external_id)
           OR EXISTS (SELECT 1 FROM sync_action AS own WHERE own.run_id = $1 AND own.external_id = old.external_id))`,
      [id, store, statesBefore(ACTION_TRANSITIONS, 'superseded')],
    );
  }
}

/** The columns of actions that are added. `claims`: their identifiers replace those that are known. */
const PLANNED = new RowColumns({
  ...ACTION_COLUMNS,
  seen: 'jsonb',
  recreated: 'boolean',
  claims: 'boolean',
});
const REPLACED = new RowColumns({
  id: 'bigint',
  kind: 'text',
  catalogId: 'text',
  reason: 'text',
  fields: 'jsonb',
  withheld: 'jsonb',
  wantsGeneration: 'boolean',
});
const WITHHELD = new RowColumns({ externalId: 'text', withheld: 'jsonb' });
const STATE_WITH_WITHHELD = `CASE WHEN product.state = 'orphaned' THEN product.state
  WHEN row.withheld = '[]' THEN 'linked' ELSE 'conflicted' END`;
const CLAIMED = new RowColumns({
  product: 'text',
  kind: 'text',
  folded: 'text',
  value: 'text',
  owner: 'text',
});

const claimsOf = ({ externalId, identifiers }: PlannedAction) =>
  (identifiers ?? []).map(({ kind, value, owner }) => ({
    product: externalId,
    kind,
    folded: foldedIdentifier(value),
    value,
    owner,
  }));

// Their parameters come after the statement's own four.
const PLANNED_ROWS = PLANNED.from(5);
const CLAIMED_ROWS = CLAIMED.from(5 + PLANNED.size);

export type PlannedCounts = z.infer<typeof plannedCounts>;

const plannedCounts = z.object({
  linked: counted,
  changes: counted,
  creates: counted,
  updates: counted,
  orphans: counted,
  conflicted: counted,
});
