import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { z } from 'zod';
import { Database } from './database.js';
import {
  GenerationTaskEntity,
  StoreProductEntity,
  SyncActionEntity,
  SyncRunEntity,
  WebhookDeliveryEntity,
  WriteBackEntity,
} from './entities/index.js';
import { isBeingWritten } from './held-product.js';
import {
  DELIVERY_COLUMNS,
  WRITE_BACK_COLUMNS,
  type DeliveryRow,
  type WriteBackRow,
} from './listing.repository.js';
import { rowOf } from './rows.js';
import { SnakeNaming } from './snake-naming.js';

const taskRow = rowOf(GenerationTaskEntity);
const productRow = rowOf(StoreProductEntity);
const writeBackRow = rowOf(WriteBackEntity, WRITE_BACK_COLUMNS);

/** The columns of an action that are shown. The body is left out, because it holds all texts of the product. */
const ACTION_COLUMNS = [
  ...(['id', 'runId', 'store', 'externalId', 'label', 'kind', 'catalogId', 'reason', 'fields'] as const),
  ...(['withheld', 'state', 'error', 'createdAt', 'settledAt'] as const),
] as const;

const pastAction = rowOf(SyncActionEntity, ACTION_COLUMNS).extend({
  runKind: rowOf(SyncRunEntity).shape.kind,
  runTrigger: rowOf(SyncRunEntity).shape.trigger,
});
/** An action with the run that it belonged to. */
export type PastAction = Readonly<z.infer<typeof pastAction>>;

/** One row of each kind at most for each product. */
export interface NewestRows {
  readonly actions: readonly PastAction[];
  readonly tasks: readonly GenerationTaskEntity[];
  readonly writeBacks: readonly WriteBackRow[];
}

const DRIFT_COLUMNS = [
  'externalId',
  'storeId',
  'label',
  'state',
  'catalogId',
  'written',
  'seenFields',
  'pushedFields',
] as const;

const driftRow = rowOf(StoreProductEntity, DRIFT_COLUMNS).extend({
  /** True while a write-back may be half way through. */
  writing: z.boolean(),
});
/** A linked product whose store content is compared with the journal. */
export type DriftCandidate = Readonly<z.infer<typeof driftRow>>;

/** The history of a product from its rows, and the products that a name matches. Reads only. */
@Injectable()
export class HistoryRepository {
  constructor(private readonly db: Database) {}

  /**
   * Display names of products by external_id, without those that have no link. A product without a title is called by its external_id.
   * One statement for a whole page.
   */
  async labels(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (externalIds.length === 0) return new Map();
    const rows = await this.db.repository(StoreProductEntity).find({
      select: { externalId: true, label: true },
      where: { externalId: In([...new Set(externalIds)]) },
    });
    return new Map(
      rows.map(({ externalId, label }) => [externalId, label.trim() === '' ? externalId : label]),
    );
  }

  /** The address of each product's first image, as it was last sent to the catalog. A product without one is absent. */
  async images(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (externalIds.length === 0) return new Map();
    const rows = await this.db.read(
      z.object({ externalId: z.string(), address: z.string() }),
      // SQL: the newest row of each product, and one value of its JSON.
      `SELECT asked.product AS external_id, image.address FROM unnest($1::text[]) AS asked(product)
       CROSS JOIN LATERAL (
         SELECT coalesce(body #>> '{images,0,source_url}', body #>> '{variants,0,images,0,source_url}') AS address
         FROM sync_action WHERE external_id = asked.product AND body IS NOT NULL AND state NOT IN ('draft', 'dropped') ORDER BY id DESC LIMIT 1
       ) AS image WHERE image.address IS NOT NULL`,
      [[...new Set(externalIds)]],
    );
    return new Map(rows.map(({ externalId, address }) => [externalId, address]));
  }

  /** True when any row names the product. */
  async knows(externalId: string): Promise<boolean> {
    return (
      (await this.db.repository(StoreProductEntity).existsBy({ externalId })) ||
      (await this.db
        .repository(SyncActionEntity)
        .existsBy({ externalId, state: Not(In(['draft', 'dropped'])) })) ||
      (await this.db.repository(WebhookDeliveryEntity).existsBy({ externalId }))
    );
  }

  /** Products with the SKU or barcode (their own or a variant's), or with the handle; with `store`, of that store. */
  async productsNamed(name: string, store?: string): Promise<string[]> {
    return this.db.texts(
      // SQL: a union of two tables, with each product once.
      `SELECT product AS external_id FROM product_identifier WHERE kind IN ('sku', 'barcode') AND value = $1
         AND ($2::text IS NULL OR store = $2)
       UNION SELECT external_id FROM store_product WHERE handle = $1 AND ($2::text IS NULL OR store = $2)
       ORDER BY external_id`,
      [name, store ?? null],
    );
  }

  /** Finds products that never got a link, by the handle in their last plan. Slow, because it reads every action: the last resort. */
  async plannedByHandle(handle: string): Promise<string[]> {
    return this.db.texts(
      // SQL: the handle is inside the JSON of the body.
      `SELECT DISTINCT external_id FROM sync_action WHERE body->'metadata'->>'handle' = $1
         AND state NOT IN ('draft', 'dropped') ORDER BY external_id`,
      [handle],
    );
  }

  async actions(externalId: string): Promise<PastAction[]> {
    return this.db.read(pastAction, `${PAST_ACTIONS} ORDER BY id`, [[externalId]]);
  }

  /** The newest action, task and write-back of each of these products. */
  async newest(externalIds: readonly string[]): Promise<NewestRows> {
    const [actions, tasks, writeBacks] = await Promise.all([
      this.db.read(
        pastAction,
        // SQL: the newest row of each product.
        `SELECT DISTINCT ON (external_id) * FROM (${PAST_ACTIONS}) AS action ORDER BY external_id, id DESC`,
        [externalIds],
      ),
      this.db.read(
        taskRow,
        // SQL: the newest row of each product.
        `SELECT DISTINCT ON (external_id) * FROM generation_task WHERE external_id = ANY($1)
         ORDER BY external_id, requested_at DESC, id DESC`,
        [externalIds],
      ),
      this.db.read(
        writeBackRow,
        // SQL: the newest row of each product.
        `SELECT DISTINCT ON (external_id) ${columnsOf('write_back', WRITE_BACK_COLUMNS)} FROM write_back
         WHERE external_id = ANY($1) ORDER BY external_id, created_at DESC, id DESC`,
        [externalIds],
      ),
    ]);
    return { actions, tasks, writeBacks };
  }

  async tasks(externalId: string): Promise<GenerationTaskEntity[]> {
    return this.db
      .repository(GenerationTaskEntity)
      .find({ where: { externalId }, order: { requestedAt: 'ASC', id: 'ASC' } });
  }

  async deliveries(externalId: string): Promise<DeliveryRow[]> {
    return this.db
      .repository(WebhookDeliveryEntity)
      .createQueryBuilder('entry')
      .select(DELIVERY_COLUMNS.map((column) => `entry.${column}`))
      .where({ externalId })
      .orderBy({ 'entry.receivedAt': 'ASC', 'entry.id': 'ASC' })
      .getMany();
  }

  async writeBacks(externalId: string): Promise<WriteBackRow[]> {
    return this.db
      .repository(WriteBackEntity)
      .createQueryBuilder('entry')
      .select(WRITE_BACK_COLUMNS.map((column) => `entry.${column}`))
      .where({ externalId })
      .orderBy({ 'entry.createdAt': 'ASC', 'entry.id': 'ASC' })
      .getMany();
  }

  /** Products of a store that are in step or ought to be, in order, after the given one. */
  async driftCandidates(store: string, after: string, limit: number): Promise<DriftCandidate[]> {
    return this.db.read(
      driftRow,
      // SQL: the lease is compared by the clock of the database, with `EXISTS` on the write-backs.
      `SELECT external_id, store_id, label, state, catalog_id, written, seen_fields, pushed_fields,
         ${isBeingWritten('store_product')} AS writing
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
    return this.db.read(
      productRow,
      // SQL: the newest task decides, which takes a subquery for each product.
      `SELECT product.* FROM store_product AS product
       WHERE store = $1 AND external_id > $3 AND catalog_id IS NOT NULL AND state IN ('linked', 'conflicted')
         AND ${NOT_ASKED_FOR} AND ($2 OR ${LACKS_CONTENT}) ORDER BY external_id LIMIT $4`,
      [store, force, after, limit],
    );
  }

  /** The number of products that `toGenerate` has without `force`. */
  async countToGenerate(store: string): Promise<number> {
    return this.db.count(
      // SQL: the newest task decides, which takes a subquery for each product.
      `SELECT count(*) FROM store_product AS product
       WHERE store = $1 AND catalog_id IS NOT NULL AND state IN ('linked', 'conflicted')
         AND ${NOT_ASKED_FOR} AND ${LACKS_CONTENT}`,
      [store],
    );
  }
}

// SQL: a join of two entities that are not related.
const PAST_ACTIONS = `SELECT ${columnsOf('action', ACTION_COLUMNS)}, run.kind AS run_kind, run.trigger AS run_trigger
  FROM sync_action AS action JOIN sync_run AS run ON run.id = action.run_id
  WHERE action.external_id = ANY($1) AND action.state NOT IN ('draft', 'dropped')`;

const NOT_ASKED_FOR = `NOT EXISTS (SELECT 1 FROM generation_task
  WHERE external_id = product.external_id AND state = 'requested')`;
const LACKS_CONTENT = `(generation_due OR coalesce((SELECT state FROM generation_task
  WHERE external_id = product.external_id ORDER BY requested_at DESC LIMIT 1), 'none') <> 'succeeded')`;

function columnsOf(alias: string, properties: readonly string[]): string {
  const names = new SnakeNaming();
  return properties.map((property) => `${alias}.${names.columnName(property, undefined)}`).join(', ');
}
