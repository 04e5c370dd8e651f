import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, Repository } from 'typeorm';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { Database } from './database.js';
import {
  SavedPlanEntity,
  StoreProductEntity,
  SyncRunEntity,
  WebhookDeliveryEntity,
  WriteBackEntity,
} from './entities/index.js';
import { filterWriteBacks, LAST_HAPPENED } from './write-back-query.js';

/** One page of a list. `order` is by time; rows of one instant are ordered by id, so that pages neither skip nor repeat. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly order: 'asc' | 'desc';
}

export interface ListPage<T> {
  /** Of all pages. */
  readonly total: number;
  readonly rows: T[];
}

/** An absent filter selects everything. */
export interface ListFilter {
  readonly state?: string | undefined;
  readonly store?: string | undefined;
  readonly externalId?: string | undefined;
  /** Of products alone: part of a title, handle or external_id, or a whole identifier. */
  readonly search?: string | undefined;
}

// Lists never read what they do not show: bodies of 10 MB, and maps with an entry for each field of a product.
export const DELIVERY_COLUMNS = [
  ...(['id', 'workspace', 'via', 'state', 'action', 'externalId', 'taskId'] as const),
  ...(['note', 'attempts', 'nextAttemptAt', 'receivedAt', 'settledAt'] as const),
] as const;
export const WRITE_BACK_COLUMNS = [
  ...(['id', 'store', 'workspace', 'externalId', 'deliveryId', 'state', 'intended', 'fields'] as const),
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
const PRODUCT_COLUMNS = [
  ...(['externalId', 'store', 'workspace', 'label', 'handle', 'state', 'catalogId', 'withheld'] as const),
  ...(['generationDue', 'firstSeenAt', 'lastSeenAt', 'orphanedAt', 'creationStartedAt'] as const),
] as const;

export type DeliveryRow = Pick<WebhookDeliveryEntity, (typeof DELIVERY_COLUMNS)[number]>;
export type WriteBackRow = Pick<WriteBackEntity, (typeof WRITE_BACK_COLUMNS)[number]>;
export type ProductRow = Pick<StoreProductEntity, (typeof PRODUCT_COLUMNS)[number]>;

/** How one entity is listed: its columns, its order and the SQL of each filter. `:state` and the like stand for the values. */
interface Source {
  readonly columns: readonly string[];
  readonly time: string;
  readonly key: string;
  readonly conditions: Readonly<Record<Exclude<keyof ListFilter, 'search'>, string>>;
  /** `:search` is the text, `:pattern` the same as a pattern of LIKE. */
  readonly search?: string;
}

const BY_COLUMNS = {
  state: 'entry.state = :state',
  store: 'entry.store = :store',
  externalId: 'entry.externalId = :externalId',
};
const BY_TIME = { time: 'createdAt', key: 'id' };

const DELIVERIES: Source = {
  columns: DELIVERY_COLUMNS,
  time: 'receivedAt',
  key: 'id',
  conditions: {
    ...BY_COLUMNS,
    store: 'entry.externalId IN (SELECT external_id FROM store_product WHERE store_product.store = :store)',
  },
};
const RUNS: Source = {
  ...BY_TIME,
  columns: [],
  conditions: {
    ...BY_COLUMNS,
    externalId: 'entry.id IN (SELECT run_id FROM sync_action WHERE sync_action.external_id = :externalId)',
  },
};
const PLANS: Source = {
  ...BY_TIME,
  columns: [],
  conditions: {
    ...BY_COLUMNS,
    externalId:
      'entry.id IN (SELECT plan_id FROM saved_plan_entry WHERE saved_plan_entry.external_id = :externalId)',
  },
};
const PRODUCTS: Source = {
  columns: PRODUCT_COLUMNS,
  time: 'firstSeenAt',
  key: 'externalId',
  conditions: BY_COLUMNS,
  search: `(entry.label ILIKE :pattern OR entry.handle ILIKE :pattern OR entry.externalId ILIKE :pattern
    OR EXISTS (SELECT 1 FROM product_identifier AS known WHERE known.product = entry.externalId AND known.value = :search))`,
};

/** Paged lists for people: filtered, newest or oldest first, in an order that holds still between pages. */
@Injectable()
export class ListingRepository {
  constructor(private readonly db: Database) {}

  deliveries(page: PageRequest, filter: ListFilter): Promise<ListPage<DeliveryRow>> {
    return listed(this.db.repository(WebhookDeliveryEntity), DELIVERIES, page, filter);
  }

  /** Ordered by what happened last. */
  async writeBacks(page: PageRequest, filter: WriteBackFilter): Promise<ListPage<WriteBackRow>> {
    const direction = page.order === 'asc' ? 'ASC' : 'DESC';
    const query = this.db
      .repository(WriteBackEntity)
      .createQueryBuilder('entry')
      .select(WRITE_BACK_COLUMNS.map((column) => `entry.${column}`))
      .orderBy(LAST_HAPPENED, direction)
      .addOrderBy('entry.id', direction)
      .limit(page.limit)
      .offset(page.offset);
    const [rows, total] = await filterWriteBacks(query, filter).getManyAndCount();
    return { total, rows };
  }

  runs(page: PageRequest, filter: ListFilter): Promise<ListPage<SyncRunEntity>> {
    return listed(this.db.repository(SyncRunEntity), RUNS, page, filter);
  }

  plans(page: PageRequest, filter: ListFilter): Promise<ListPage<SavedPlanEntity>> {
    return listed(this.db.repository(SavedPlanEntity), PLANS, page, filter);
  }

  products(page: PageRequest, filter: ListFilter): Promise<ListPage<ProductRow>> {
    return listed(this.db.repository(StoreProductEntity), PRODUCTS, page, filter);
  }
}

/** The pattern of LIKE for texts that contain this one. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** Rows hold the source's columns alone; without any, all. */
async function listed<E extends ObjectLiteral>(
  repository: Repository<E>,
  { columns, time, key, conditions, search }: Source,
  page: PageRequest,
  filter: ListFilter,
): Promise<ListPage<E>> {
  const direction = page.order === 'asc' ? 'ASC' : 'DESC';
  const query = repository
    .createQueryBuilder('entry')
    .orderBy(`entry.${time}`, direction)
    .addOrderBy(`entry.${key}`, direction)
    .limit(page.limit)
    .offset(page.offset);
  if (columns.length > 0) query.select(columns.map((column) => `entry.${column}`));
  for (const name of ['state', 'store', 'externalId'] as const)
    if (filter[name] !== undefined) query.andWhere(conditions[name], { [name]: filter[name] });
  if (search !== undefined && filter.search !== undefined && filter.search !== '')
    query.andWhere(search, { search: filter.search, pattern: containing(filter.search) });
  const [rows, total] = await query.getManyAndCount();
  return { total, rows };
}
