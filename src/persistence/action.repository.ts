import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { CatalogField, CatalogProductBody, Identifier } from '../domain/catalog-product.js';
import { codesMetWith } from '../domain/error-policy.js';
import { failureLine } from '../domain/errors.js';
import { owedForFailure } from '../domain/owed.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { waitingResults } from './waiting-results.js';
import { json, Database } from './database.js';
import { ProductIdentifierEntity } from './entities/product-identifier.entity.js';
import { SyncActionEntity, type ActionError } from './entities/sync-action.entity.js';
import { heldAfterLink } from './held-identifiers.js';
import { counted, rowOf } from './rows.js';
import { noteOwed } from './owed.repository.js';

const actionRow = rowOf(SyncActionEntity);

/** Failures of these codes may work next time as they are: the run that had them tries again. */
const RETRIED_CODES = codesMetWith('apply', 'retry', 'pause');

/** The effect of an applied action on its product. */
export interface AppliedAction {
  readonly workspace: string;
  readonly withheld: readonly WithheldIdentifier[];
  readonly pushedFields: Readonly<Partial<Record<CatalogField, string>>>;
  /** Null while the catalog still creates the product in the background. */
  readonly catalogId: string | null;
  readonly creationTaskId: string | null;
  readonly variantLinks: Readonly<Record<string, string>>;
  readonly handle: string | null;
  /** Hashes of what the answer showed of the catalog product; null when it showed nothing that can be compared later. */
  readonly catalogFields: Readonly<Record<string, string>> | null;
  /** True when these are all fields of the product, and not the sent ones alone. */
  readonly isWholeProduct: boolean;
  /** True when stale identifiers of the product were released with it. */
  readonly released: boolean;
}

/** `wanted`: false when the store has it elsewhere or nowhere by now. */
type HeldIdentifier = Identifier & Pick<ProductIdentifierEntity, 'wanted'>;

const tallyRow = z.object({
  created: counted,
  updated: counted,
  failed: counted,
  orphaned: counted,
  open: counted,
  conflicted: counted,
  /** Products that were gone from the catalog and were created again. */
  recreated: counted,
  /** Products of which the catalog refused an identifier that the plan would have sent. */
  refused: counted,
  /** Products that the run asked content for, whichever process did. */
  generationRequested: counted,
});
export type ActionTally = z.infer<typeof tallyRow>;

const settledRow = rowOf(SyncActionEntity, ['kind', 'recreated']).extend({ wasAway: z.boolean() });
const sentBefore = rowOf(SyncActionEntity, ['id', 'body']);

// SQL: each write moves actions only from the state that it names, and moves the link and the owed row of the product with them.
@Injectable()
export class ActionRepository {
  constructor(private readonly db: Database) {}

  /** Actions of a run that still have to be carried out, in order, after the given id. */
  async open(runId: string, after: string, limit: number): Promise<SyncActionEntity[]> {
    return this.db.read(
      actionRow,
      // SQL: hot path of a first load.
      `SELECT * FROM sync_action WHERE run_id = $1 AND id > $2 AND state = 'planned' ORDER BY id LIMIT $3`,
      [runId, after, limit],
    );
  }

  /** Settles the action and moves its product's link, in one transaction. An action that was settled before is left as it is. */
  async applied(
    { id, store, externalId }: Pick<SyncActionEntity, 'id' | 'store' | 'externalId'>,
    result: AppliedAction,
  ): Promise<void> {
    await this.db.transaction(async (runner) => {
      const settled = await this.db.readOne(
        settledRow,
        `UPDATE sync_action AS action SET state = 'applied', error = NULL, settled_at = now(), catalog_id = coalesce($2, catalog_id)
         WHERE id = $1 AND state = 'planned'
         RETURNING recreated, kind, EXISTS (SELECT FROM store_product AS link
           WHERE link.external_id = action.external_id AND link.state = 'orphaned') AS was_away`,
        [id, result.catalogId],
        runner,
      );
      if (settled !== null) {
        await this.#link(id, result, settled.recreated, runner);
        await this.#settleOwed(id, externalId, result.catalogId === null, runner);
        await this.#settleTask(externalId, result, settled, runner);
        if (settled.wasAway) await this.#decideWaiting(externalId, runner);
      }
      // The catalog does not have these identifiers any more, even when another worker has settled the action.
      if (result.released)
        await runner.manager.delete(ProductIdentifierEntity, { store, product: externalId, wanted: false });
    });
  }

  async #link(
    id: string,
    { workspace, handle, catalogId, creationTaskId, ...result }: AppliedAction,
    recreated: boolean,
    runner: QueryRunner,
  ): Promise<void> {
    const linked = result.withheld.length > 0 ? 'conflicted' : 'linked';
    const shown = result.catalogFields === null ? null : json(result.catalogFields);
    await this.db.affected(
      `WITH linked AS (
         INSERT INTO store_product AS link (external_id, store, workspace, store_id, label, handle, state, catalog_id,
           creation_task_id, creation_started_at, variant_links, source_fingerprint, pushed_fields, seen_fields, withheld,
           generation_due, catalog_fields)
         SELECT external_id, store, $2, store_id, label, $3, $4, $5, $6, CASE WHEN $6::text IS NOT NULL THEN now() END, $7,
           source_fingerprint, $8, seen, $9, wants_generation, CASE WHEN $11 THEN $10::jsonb END
         FROM sync_action WHERE id = $1
         ON CONFLICT (external_id) DO UPDATE SET workspace = excluded.workspace, store_id = excluded.store_id, label = excluded.label, handle = excluded.handle,
           state = excluded.state, catalog_id = excluded.catalog_id, creation_task_id = excluded.creation_task_id,
           creation_started_at = excluded.creation_started_at,
           variant_links = CASE WHEN $12 THEN '{}' ELSE link.variant_links END || excluded.variant_links,
           source_fingerprint = excluded.source_fingerprint, pushed_fields = excluded.pushed_fields,
           seen_fields = excluded.seen_fields, withheld = excluded.withheld, orphaned_at = NULL, last_seen_at = now(),
           generation_due = link.generation_due OR excluded.generation_due,
           catalog_fields = coalesce(excluded.catalog_fields, link.catalog_fields || $10::jsonb, link.catalog_fields)
         RETURNING external_id, store, state, withheld
       )
       ${heldAfterLink} AND linked.state <> 'pending'`,
      [
        id,
        workspace,
        handle,
        catalogId === null ? 'pending' : linked,
        catalogId,
        creationTaskId,
        json(result.variantLinks),
        json(result.pushedFields),
        json(result.withheld),
        shown,
        result.isWholeProduct,
        recreated,
      ],
      runner,
    );
  }

  async #settleOwed(id: string, externalId: string, isPending: boolean, runner: QueryRunner): Promise<void> {
    if (isPending)
      await this.db.affected(
        noteOwed(
          `SELECT external_id, store, store_id, label, 'being_created', NULL FROM sync_action WHERE id = $1`,
        ),
        [id],
        runner,
      );
    else await this.db.affected('DELETE FROM owed_product WHERE external_id = $1', [externalId], runner);
  }

  async #settleTask(
    externalId: string,
    { workspace, catalogFields, isWholeProduct }: AppliedAction,
    { recreated, kind }: z.infer<typeof settledRow>,
    runner: QueryRunner,
  ): Promise<void> {
    if (catalogFields !== null && !isWholeProduct)
      // What is pushed while content is being generated is no result of it.
      await this.db.affected(
        `UPDATE generation_task SET asked_fields = asked_fields || $2::jsonb
         WHERE external_id = $1 AND state = 'requested' AND asked_fields IS NOT NULL`,
        [externalId, json(catalogFields)],
        runner,
      );
    if (recreated && kind === 'create')
      // Its request was about the catalog product that is gone; the new one gets a request of its own.
      await this.db.affected(
        `UPDATE generation_task SET state = 'abandoned', settled_at = now(), reason = 'its catalog product is gone'
         WHERE external_id = $1 AND state = 'requested'`,
        [externalId],
        runner,
      );
    else if (recreated)
      // Its workspace got another name. Its open request is polled under the new one.
      await this.db.affected(
        `UPDATE generation_task SET workspace = $2 WHERE external_id = $1 AND state = 'requested'`,
        [externalId, workspace],
        runner,
      );
  }

  /** The product is back in its store. What came while it was away is decided now. The credits stay with the rows they came in. */
  async #decideWaiting(externalId: string, runner: QueryRunner): Promise<void> {
    await this.db.affected(
      `INSERT INTO write_back (store, workspace, external_id, variant, content_fingerprint, result_at, state, intended, seen,
         arrived, unmapped_count, overwrite_edits, released_values, pass_gates, decided_at, decided_by, run_id, sources, asked_at, dated_at, reason)
       SELECT store, workspace, external_id, variant, content_fingerprint, result_at, 'ready', merged, seen, arrived, 0,
         overwrite_edits, released_values, pass_gates, decided_at, decided_by, run_id, sources, asked_at, dated_at, 'its product is back in the store'
       FROM (${waitingResults('$1')}) AS waiting`,
      [externalId],
      runner,
    );
  }

  /**
   * The product's source is gone, and the catalog holds its identifiers no longer. `unlinked`: its catalog product is deleted, or somebody
   * else's; `remark` says so.
   */
  async orphaned(
    action: SyncActionEntity,
    { unlinked, remark = '' }: { readonly unlinked: boolean; readonly remark?: string },
  ): Promise<void> {
    await this.db.transaction(async (runner) => {
      const settled = await this.db.affected(
        `UPDATE sync_action SET state = 'applied', settled_at = now(),
           reason = CASE WHEN $2 = '' THEN reason ELSE reason || '; ' || $2 END WHERE id = $1 AND state = 'planned'`,
        [action.id, remark],
        runner,
      );
      // Another worker settled it, and the product may have come back since.
      if (settled === 0) return;
      await this.db.affected(
        `UPDATE store_product SET state = 'orphaned', orphaned_at = coalesce(orphaned_at, now()), withheld = '[]',
           catalog_id = CASE WHEN $2 THEN NULL ELSE catalog_id END,
           pushed_fields = CASE WHEN $2 THEN '{}' ELSE pushed_fields - array['sku', 'barcode', 'mpn', 'asin', 'variants'] END
         WHERE external_id = $1`,
        [action.externalId, unlinked],
        runner,
      );
      await this.db.affected('DELETE FROM owed_product WHERE external_id = $1', [action.externalId], runner);
      await runner.manager.delete(ProductIdentifierEntity, {
        store: action.store,
        product: action.externalId,
      });
    });
  }

  /**
   * The product's source is gone while the catalog still creates it. The created product would be forgotten: the product is owed, so that
   * a later run treats it as gone. False for a product that is not being created.
   */
  async putOffOrphan({ id, externalId }: Pick<SyncActionEntity, 'id' | 'externalId'>): Promise<boolean> {
    const owed = await this.db.affected(
      `WITH put_off AS (
         UPDATE sync_action SET state = 'superseded', settled_at = now() WHERE id = $1 AND state = 'planned' AND EXISTS (
           SELECT 1 FROM store_product WHERE external_id = $2 AND state = 'pending' AND creation_task_id IS NOT NULL)
         RETURNING *
       )
       ${noteOwed(`SELECT external_id, store, store_id, label, 'left_while_created', NULL FROM put_off`)}`,
      [id, externalId],
    );
    return owed > 0;
  }

  /** The catalog no longer holds the product's outdated identifiers. */
  async forgetStale({ store, externalId }: Pick<SyncActionEntity, 'store' | 'externalId'>): Promise<void> {
    await this.db.repository(ProductIdentifierEntity).delete({ store, product: externalId, wanted: false });
  }

  /** All identifiers that the workspace's catalog may hold for these products of a store. */
  async held(
    { store, workspace }: { readonly store: string; readonly workspace: string },
    externalIds: readonly string[],
  ): Promise<ReadonlyMap<string, HeldIdentifier[]>> {
    const rows = await this.db.repository(ProductIdentifierEntity).find({
      select: { product: true, kind: true, value: true, owner: true, wanted: true },
      where: { store, workspace, product: In(externalIds) },
      order: { owner: 'ASC', kind: 'ASC', value: 'ASC' },
    });
    return Map.groupBy(rows, ({ product }) => product);
  }

  /** The action failed, and its product is owed to the next run. */
  async failed(id: string, error: ActionError): Promise<void> {
    await this.db.affected(
      `WITH failed AS (
         UPDATE sync_action SET state = 'failed', error = $2, settled_at = now() WHERE id = $1 AND state = 'planned' RETURNING *
       )
       ${noteOwed('SELECT external_id, store, store_id, label, $3, $4 FROM failed')}`,
      [id, json(error), owedForFailure(error.code), failureLine(error)],
    );
  }

  /** The linked product is gone or somebody else's, as `why` says, so the action becomes a creation. */
  async becomeCreation(id: string, why: string): Promise<void> {
    await this.db.affected(
      `UPDATE sync_action SET kind = 'create', catalog_id = NULL, wants_generation = true, unproved = true, recreated = true,
         reason = reason || '; ' || $2 WHERE id = $1 AND state = 'planned'`,
      [id, why],
    );
  }

  /** Failures that may work next time are planned again; what the service refused as invalid is not. */
  async retryFailures(runId: string): Promise<void> {
    await this.db.affected(
      `UPDATE sync_action SET state = 'planned', settled_at = NULL
       WHERE run_id = $1 AND state = 'failed' AND error->>'code' = ANY($2)`,
      [runId, RETRIED_CODES],
    );
  }

  async retryableFailures(runId: string): Promise<number> {
    return this.db.count(
      // SQL: looks into the error's JSON.
      `SELECT count(*) FROM sync_action WHERE run_id = $1 AND state = 'failed'
         AND error->>'code' = ANY($2)`,
      [runId, RETRIED_CODES],
    );
  }

  async tally(runId: string): Promise<ActionTally> {
    return this.db.one(
      tallyRow,
      // SQL: all counts in one pass. The products of a store with a withheld identifier are few, and have an index.
      `WITH lacking AS MATERIALIZED (SELECT external_id FROM store_product
         WHERE store = (SELECT store FROM sync_run WHERE id = $1) AND withheld <> '[]')
       SELECT count(*) FILTER (WHERE state = 'applied' AND kind = 'create') AS created,
         count(*) FILTER (WHERE state = 'applied' AND kind IN ('adopt', 'update')) AS updated,
         count(*) FILTER (WHERE state = 'failed') AS failed,
         count(*) FILTER (WHERE state = 'applied' AND kind = 'orphan' AND fields = '[]') AS orphaned,
         count(*) FILTER (WHERE state = 'planned') AS open,
         count(*) FILTER (WHERE withheld <> '[]') AS conflicted,
         count(*) FILTER (WHERE state = 'applied' AND kind = 'create' AND recreated) AS recreated,
         count(*) FILTER (WHERE state = 'applied' AND withheld = '[]' AND lacking.external_id IS NOT NULL) AS refused,
         -- A row that failed without an answer is a request that the service refused.
         (SELECT count(*) FROM generation_task WHERE run_id = $1
            AND NOT (state = 'failed' AND settled_by = 'poll' AND answered_at IS NULL)) AS generation_requested
       FROM sync_action LEFT JOIN lacking USING (external_id) WHERE run_id = $1`,
      [runId],
    );
  }

  /** The body that each action’s product was sent last, by the id of the action. Where no body is kept, the action is left out. */
  async bodiesBefore(
    actions: readonly Pick<SyncActionEntity, 'id' | 'externalId'>[],
  ): Promise<ReadonlyMap<string, CatalogProductBody | null>> {
    if (actions.length === 0) return new Map();
    const rows = await this.db.read(
      sentBefore,
      // SQL: the newest one of each product by an index, for many products.
      `SELECT action.id, before.body FROM jsonb_to_recordset($1::jsonb) AS action(id bigint, "externalId" text) CROSS JOIN LATERAL (
         SELECT body FROM sync_action AS earlier WHERE earlier.external_id = action."externalId" AND earlier.id < action.id
           AND earlier.state = 'applied' AND earlier.body IS NOT NULL ORDER BY earlier.id DESC LIMIT 1) AS before`,
      [json(actions.map(({ id, externalId }) => ({ id, externalId })))],
    );
    return new Map(rows.map(({ id, body }) => [id, body]));
  }

  /** The action that last planned the product; null when no run did. */
  async newest(externalId: string): Promise<SyncActionEntity | null> {
    return this.db.repository(SyncActionEntity).findOne({
      where: { externalId, body: Not(IsNull()), state: Not(In(['draft', 'dropped'])) },
      order: { id: 'DESC' },
    });
  }

  async failures(runId: string, limit: number): Promise<SyncActionEntity[]> {
    return this.db
      .repository(SyncActionEntity)
      .find({ where: { runId, state: 'failed' }, order: { id: 'ASC' }, take: limit });
  }
}
