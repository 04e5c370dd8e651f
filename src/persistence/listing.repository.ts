import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { Database } from './database.js';
import {
  BulkChangeEntity,
  StoreProductEntity,
  SyncRunEntity,
  WebhookDeliveryEntity,
  WriteBackEntity,
} from './entities/index.js';
import { byTime, pageInOrder, type ListPage, type PageRequest, type RowOrder } from './keyset.js';
import { containing } from './like-pattern.js';
import { countedBy } from './state-counts.js';
import { filterWriteBacks, LAST_HAPPENED } from './write-back-query.js';
import { hasNewerTask, isRun } from './newest-rows.js';

export const CONTENT_FILTERS = [
  'with',
  'live',
  'without',
  'requested',
  'failed',
  'no_sources',
  'owed',
] as const;
export const PRODUCT_ORDERS = ['title', 'seen'] as const;
/**
 * `with`: a generated text is there; `live`: the shop has it; `requested`: the newest generation has not ended; `failed`: it failed; `no_sources`:
 * it found nothing to read; `owed`: the next
 * run reads the product. Products that are gone from their store are left out, unless something about them goes on (`requested`, `owed`).
 */
export type ContentFilter = (typeof CONTENT_FILTERS)[number];

/** An absent filter selects everything. */
export interface ListFilter {
  readonly state?: string | undefined;
  readonly store?: string | undefined;
  readonly externalId?: string | undefined;
  /** From this day on, and to the end of that one, in UTC (`2026-11-22`). */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Of products alone: what is known of their content. */
  readonly content?: ContentFilter | undefined;
  /** Of products alone: by title, or the one first that was seen last; without it, the newest first. */
  readonly sort?: (typeof PRODUCT_ORDERS)[number] | undefined;
  /**
   * Of products: part of a title, handle or external_id, or a whole identifier. Of runs and plans: part of an error, or an id. Of
   * deliveries: part of a title, external_id or note. Of bulk changes: part of a person or a reason, or an id.
   */
  readonly search?: string | undefined;
}

// Lists never read what they do not show: bodies of 10 MB, and maps with an entry for each field of a product.
export const DELIVERY_COLUMNS = [
  ...(['id', 'workspace', 'via', 'state', 'action', 'externalId', 'taskId'] as const),
  ...(['note', 'attempts', 'nextAttemptAt', 'receivedAt', 'settledAt'] as const),
] as const;
export const WRITE_BACK_COLUMNS = [
  ...(['id', 'store', 'workspace', 'externalId', 'deliveryId', 'state', 'version'] as const),
  ...(['intended', 'fields', 'declined'] as const),
  ...([
    'reason',
    'gateFindings',
    'arrived',
    'attempts',
    'resultAt',
    'createdAt',
    'settledAt',
    'revertedAt',
    'decidedAt',
    'decidedBy',
    'sources',
    'creditsConsumed',
    'runId',
    'reappliedFrom',
  ] as const),
] as const;
const BULK_COLUMNS = [
  ...(['id', 'action', 'dryRun', 'filter', 'actor', 'state', 'matching', 'done', 'refused'] as const),
  ...(['overwriteEdits', 'passGates', 'leftEdited', 'leftInPart', 'leftGated'] as const),
  ...(['reason', 'createdAt', 'finishedAt'] as const),
] as const;
const PRODUCT_COLUMNS = [
  ...(['externalId', 'store', 'workspace', 'label', 'handle', 'state', 'catalogId', 'withheld'] as const),
  ...(['generationDue', 'firstSeenAt', 'lastSeenAt', 'orphanedAt', 'creationStartedAt'] as const),
] as const;

export type DeliveryRow = Pick<WebhookDeliveryEntity, (typeof DELIVERY_COLUMNS)[number]>;
export type WriteBackRow = Pick<WriteBackEntity, (typeof WRITE_BACK_COLUMNS)[number]>;
export type BulkSummaryRow = Pick<BulkChangeEntity, (typeof BULK_COLUMNS)[number]>;
export type ProductRow = Pick<StoreProductEntity, (typeof PRODUCT_COLUMNS)[number]>;

/** How one entity is listed: its columns, its order and the SQL of each filter. `:state` and the like stand for the values. */
interface Source {
  readonly columns: readonly string[];
  readonly time: string;
  readonly key: string;
  /** The rows of the list; without it, all. */
  readonly base?: string;
  /** The state that people know; without it, that of the row. */
  readonly state?: string;
  readonly conditions: Readonly<Record<'state' | 'store' | 'externalId', string>>;
  /** `:search` is the text, `:pattern` the same as a pattern of LIKE. */
  readonly search?: string;
}

const BY_COLUMNS = {
  state: 'entry.state = :state',
  store: 'entry.store = :store',
  externalId: 'entry.externalId = :externalId',
};
const BY_TIME = { time: 'createdAt', key: 'id' };
const BY_ERROR = '(entry.error ILIKE :pattern OR entry.id::text = :search)';

const DELIVERIES: Source = {
  columns: DELIVERY_COLUMNS,
  time: 'receivedAt',
  key: 'id',
  conditions: {
    ...BY_COLUMNS,
    store: 'entry.externalId IN (SELECT external_id FROM store_product WHERE store_product.store = :store)',
  },
  search: `(entry.externalId ILIKE :pattern OR entry.note ILIKE :pattern OR entry.action = :search
    OR entry.externalId IN (SELECT external_id FROM store_product WHERE store_product.label ILIKE :pattern))`,
};
const OF_PRODUCT = 'entry.id IN (SELECT run_id FROM sync_action WHERE sync_action.external_id = :externalId)';
const RUNS: Source = {
  ...BY_TIME,
  base: isRun('entry'),
  columns: [],
  conditions: {
    ...BY_COLUMNS,
    externalId: OF_PRODUCT,
  },
  search: BY_ERROR,
};
const PLAN_STATE = `CASE entry.state WHEN 'planning' THEN 'planning' WHEN 'planned' THEN 'saved'
  WHEN 'not_planned' THEN 'failed' ELSE 'applied' END`;
const PLANS: Source = {
  ...BY_TIME,
  base: 'entry.plan IS NOT NULL',
  state: PLAN_STATE,
  columns: [],
  conditions: { ...BY_COLUMNS, state: `${PLAN_STATE} = :state`, externalId: OF_PRODUCT },
  search: BY_ERROR,
};
const BULK_CHANGES: Source = {
  ...BY_TIME,
  columns: BULK_COLUMNS,
  conditions: {
    ...BY_COLUMNS,
    store: "entry.filter ->> 'store' = :store",
    externalId: "entry.items @> jsonb_build_array(jsonb_build_object('externalId', :externalId::text))",
  },
  search: '(entry.actor ILIKE :pattern OR entry.reason ILIKE :pattern OR entry.id::text = :search)',
};
const NEWEST_TASK = `EXISTS (SELECT 1 FROM generation_task AS task WHERE task.external_id = entry.external_id
  AND task.state = ANY(:states) AND NOT ${hasNewerTask('task')})`;
const CONTENT: Readonly<
  Record<ContentFilter, { readonly sql: string; readonly states?: readonly string[] }>
> = {
  with: { sql: "entry.newestResultAt IS NOT NULL AND entry.state <> 'orphaned'" },
  without: { sql: "entry.newestResultAt IS NULL AND entry.state <> 'orphaned'" },
  requested: { sql: NEWEST_TASK, states: ['requested'] },
  failed: { sql: `entry.state <> 'orphaned' AND ${NEWEST_TASK}`, states: ['failed', 'abandoned'] },
  no_sources: { sql: `entry.state <> 'orphaned' AND ${NEWEST_TASK}`, states: ['no_urls'] },
  live: {
    sql: `entry.state <> 'orphaned' AND EXISTS (SELECT 1 FROM write_back AS written
      WHERE written.external_id = entry.externalId AND written.state = 'applied')`,
  },
  owed: { sql: 'EXISTS (SELECT 1 FROM owed_product AS owed WHERE owed.external_id = entry.externalId)' },
};
const PRODUCTS: Source = {
  columns: PRODUCT_COLUMNS,
  time: 'firstSeenAt',
  key: 'externalId',
  conditions: BY_COLUMNS,
  search: `(entry.label ILIKE :pattern OR entry.handle ILIKE :pattern OR entry.externalId ILIKE :pattern
    OR EXISTS (SELECT 1 FROM product_identifier AS known WHERE known.store = entry.store
      AND known.product = entry.externalId AND known.value = :search))`,
};

/** Paged lists for people: filtered, newest or oldest first, in an order that does not change between pages. */
@Injectable()
export class ListingRepository {
  constructor(private readonly db: Database) {}

  deliveries(page: PageRequest, filter: ListFilter): Promise<ListPage<DeliveryRow>> {
    return listed(this.db.repository(WebhookDeliveryEntity), DELIVERIES, page, filter);
  }

  /** Ordered by what happened last. */
  async writeBacks(page: PageRequest, filter: WriteBackFilter): Promise<ListPage<WriteBackRow>> {
    const query = this.db
      .repository(WriteBackEntity)
      .createQueryBuilder('entry')
      .select(WRITE_BACK_COLUMNS.map((column) => `entry.${column}`));
    return pageInOrder(filterWriteBacks(query, filter), byTime(LAST_HAPPENED, 'uuid', page), page);
  }

  /** Write-backs of each state that match the rest of the filter. */
  async writeBackCounts({ state: _state, ...filter }: WriteBackFilter): Promise<Record<string, number>> {
    const query = this.db.repository(WriteBackEntity).createQueryBuilder('entry');
    return countedBy(filterWriteBacks(query, filter), 'entry.state');
  }

  runs(page: PageRequest, filter: ListFilter): Promise<ListPage<SyncRunEntity>> {
    return listed(this.db.repository(SyncRunEntity), RUNS, page, filter);
  }

  /** Plans for review, applied ones included. */
  plans(page: PageRequest, filter: ListFilter): Promise<ListPage<SyncRunEntity>> {
    return listed(this.db.repository(SyncRunEntity), PLANS, page, filter);
  }

  /** With their reports. */
  wholeBulkChanges(page: PageRequest): Promise<ListPage<BulkChangeEntity>> {
    return listed(this.db.repository(BulkChangeEntity), { ...BULK_CHANGES, columns: [] }, page, {});
  }

  /** Without their reports. */
  bulkChanges(page: PageRequest, filter: ListFilter): Promise<ListPage<BulkSummaryRow>> {
    return listed(this.db.repository(BulkChangeEntity), BULK_CHANGES, page, filter);
  }

  products(page: PageRequest, filter: ListFilter): Promise<ListPage<ProductRow>> {
    return listed(this.db.repository(StoreProductEntity), PRODUCTS, page, filter);
  }

  /** Rows of each state that match the rest of the filter. */
  async counts(
    list: 'products' | 'runs' | 'deliveries' | 'plans' | 'bulkChanges',
    { state: _state, ...filter }: ListFilter,
  ): Promise<Record<string, number>> {
    const [repository, source] = (
      {
        products: [this.db.repository<ObjectLiteral>(StoreProductEntity), PRODUCTS],
        runs: [this.db.repository<ObjectLiteral>(SyncRunEntity), RUNS],
        deliveries: [this.db.repository<ObjectLiteral>(WebhookDeliveryEntity), DELIVERIES],
        plans: [this.db.repository<ObjectLiteral>(SyncRunEntity), PLANS],
        bulkChanges: [this.db.repository<ObjectLiteral>(BulkChangeEntity), BULK_CHANGES],
      } as const
    )[list];
    return countedBy(
      filtered(repository.createQueryBuilder('entry'), source, filter),
      source.state ?? 'entry.state',
    );
  }
}

const SORTS: Readonly<Record<(typeof PRODUCT_ORDERS)[number], Pick<RowOrder, 'by' | 'type' | 'direction'>>> =
  {
    title: { by: 'entry.label', type: 'text', direction: 'ASC' },
    seen: { by: 'entry.lastSeenAt', type: 'timestamptz', direction: 'DESC' },
  };

/** Rows hold the source's columns alone; without any, all. */
async function listed<E extends ObjectLiteral>(
  repository: Repository<E>,
  source: Source,
  page: PageRequest,
  filter: ListFilter,
): Promise<ListPage<E>> {
  const { columns, time, key } = source;
  const query = repository.createQueryBuilder('entry');
  if (columns.length > 0) query.select(columns.map((column) => `entry.${column}`));
  const order = byTime(`entry.${time}`, key === 'id' ? 'uuid' : 'text', page, `entry.${key}`);
  const { sort } = filter;
  return pageInOrder(
    filtered(query, source, filter),
    sort === undefined ? order : { ...order, name: `${sort} ${page.order}`, ...SORTS[sort] },
    page,
  );
}

/** Adds the filter to a query whose alias is `entry`. */
function filtered<E extends ObjectLiteral>(
  query: SelectQueryBuilder<E>,
  { base, conditions, search, time }: Source,
  filter: ListFilter,
): SelectQueryBuilder<E> {
  if (base !== undefined) query.andWhere(base);
  for (const name of ['state', 'store', 'externalId'] as const)
    if (filter[name] !== undefined) query.andWhere(conditions[name], { [name]: filter[name] });
  if (search !== undefined && filter.search !== undefined && filter.search !== '')
    query.andWhere(search, { search: filter.search, pattern: containing(filter.search) });
  if (filter.content !== undefined) {
    const { sql, states = [] } = CONTENT[filter.content];
    query.andWhere(sql, { states });
  }
  if (filter.from !== undefined)
    query.andWhere(`entry.${time} >= (:from::date)::timestamp AT TIME ZONE 'UTC'`, { from: filter.from });
  if (filter.to !== undefined)
    query.andWhere(`entry.${time} < (:to::date + 1)::timestamp AT TIME ZONE 'UTC'`, { to: filter.to });
  return query;
}
