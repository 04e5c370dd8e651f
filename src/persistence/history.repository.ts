import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import type {
  GenerationTaskEntity,
  StoreProductEntity,
  SyncActionEntity,
  WriteBackEntity,
} from './entities/index.js';
import type { RunKind, RunTrigger } from './entities/sync-run.entity.js';
import type { ListedDelivery } from './listing.repository.js';

/** An action with the run that it belonged to. */
export type PastAction = SyncActionEntity & { readonly runKind: RunKind; readonly runTrigger: RunTrigger };

/** A linked product whose store content is compared with the journal. */
export type DriftCandidate = Pick<
  StoreProductEntity,
  'externalId' | 'storeId' | 'label' | 'state' | 'written' | 'seenFields' | 'pushedFields'
> & {
  /** True while a write-back may be half way through. */
  readonly writing: boolean;
};

/** What a product's rows tell of its past, and which products a name stands for. Reads only. */
@Injectable()
export class HistoryRepository {
  constructor(private readonly db: Database) {}

  /** True when any row speaks of the product. */
  async knows(externalId: string): Promise<boolean> {
    const row = await this.db.one<{ known: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM store_product WHERE external_id = $1)
         OR EXISTS (SELECT 1 FROM sync_action WHERE external_id = $1)
         OR EXISTS (SELECT 1 FROM webhook_delivery WHERE external_id = $1) AS known`,
      [externalId],
    );
    return row?.known === true;
  }

  /** Products that bear the SKU or barcode (themselves or by a variant), or whose handle it is; with `store`, of that store. */
  async bearersOf(name: string, store?: string): Promise<string[]> {
    const rows = await this.db.rows<{ externalId: string }>(
      `SELECT product AS external_id FROM product_identifier WHERE kind IN ('sku', 'barcode') AND value = $1
         AND ($2::text IS NULL OR store = $2)
       UNION SELECT external_id FROM store_product WHERE handle = $1 AND ($2::text IS NULL OR store = $2)
       ORDER BY external_id`,
      [name, store ?? null],
    );
    return rows.map((row) => row.externalId);
  }

  /** For products that never got a link: the handle as the last plan had it. Reads every action; the last resort. */
  async plannedByHandle(handle: string): Promise<string[]> {
    const rows = await this.db.rows<{ externalId: string }>(
      `SELECT DISTINCT external_id FROM sync_action WHERE body->'metadata'->>'handle' = $1 ORDER BY external_id`,
      [handle],
    );
    return rows.map((row) => row.externalId);
  }

  async actions(externalId: string): Promise<PastAction[]> {
    return this.db.rows<PastAction>(
      `SELECT action.*, run.kind AS run_kind, run.trigger AS run_trigger FROM sync_action AS action
       JOIN sync_run AS run ON run.id = action.run_id WHERE action.external_id = $1 ORDER BY action.id`,
      [externalId],
    );
  }

  async tasks(externalId: string): Promise<GenerationTaskEntity[]> {
    return this.db.rows<GenerationTaskEntity>(
      'SELECT * FROM generation_task WHERE external_id = $1 ORDER BY requested_at, id',
      [externalId],
    );
  }

  async deliveries(externalId: string): Promise<ListedDelivery[]> {
    return this.db.rows<ListedDelivery>(
      `SELECT id, workspace, via, state, action, external_id, task_id, note, attempts, next_attempt_at, received_at, settled_at
       FROM webhook_delivery WHERE external_id = $1 ORDER BY received_at, id`,
      [externalId],
    );
  }

  async writeBacks(externalId: string): Promise<WriteBackEntity[]> {
    return this.db.rows<WriteBackEntity>(
      'SELECT * FROM write_back WHERE external_id = $1 ORDER BY created_at, id',
      [externalId],
    );
  }

  /** Products of a store that are in step or ought to be, in order, after the given one. */
  async driftCandidates(store: string, after: string, limit: number): Promise<DriftCandidate[]> {
    return this.db.rows<DriftCandidate>(
      `SELECT external_id, store_id, label, state, written, seen_fields, pushed_fields,
         coalesce(write_lease_until > now(), false) OR EXISTS (SELECT 1 FROM write_back
           WHERE write_back.external_id = store_product.external_id AND write_back.state = 'ready' AND sent <> '{}') AS writing
       FROM store_product WHERE store = $1 AND state <> 'orphaned' AND external_id > $2 ORDER BY external_id LIMIT $3`,
      [store, after, limit],
    );
  }

  /**
   * Linked products to ask generation for, in order, after the given one. Without `force`: those that are due, and those whose
   * newest generation did not succeed. Never one with an open task.
   */
  async toGenerate(
    store: string,
    force: boolean,
    after: string,
    limit: number,
  ): Promise<StoreProductEntity[]> {
    return this.db.rows<StoreProductEntity>(
      `SELECT product.* FROM store_product AS product
       WHERE store = $1 AND external_id > $3 AND catalog_id IS NOT NULL AND state IN ('linked', 'conflicted')
         AND NOT EXISTS (SELECT 1 FROM generation_task WHERE external_id = product.external_id AND state = 'requested')
         AND ($2 OR generation_due OR coalesce((SELECT state FROM generation_task WHERE external_id = product.external_id
           ORDER BY requested_at DESC LIMIT 1), 'none') <> 'succeeded')
       ORDER BY external_id LIMIT $4`,
      [store, force, after, limit],
    );
  }
}
