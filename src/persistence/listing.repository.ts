import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from './database.js';
import type {
  SavedPlanEntity,
  StoreProductEntity,
  SyncRunEntity,
  WebhookDeliveryEntity,
  WriteBackEntity,
} from './entities/index.js';

/** One page of a list. `order` is by time; rows of one instant are ordered by id, so that pages neither skip nor repeat. */
export interface PageWish {
  readonly limit: number;
  readonly offset: number;
  readonly order: 'asc' | 'desc';
}

export interface Listed<T> {
  /** Of all pages. */
  readonly total: number;
  readonly rows: T[];
}

/** What is absent selects everything. */
export interface ListFilter {
  readonly state?: string | undefined;
  readonly store?: string | undefined;
  readonly externalId?: string | undefined;
}

export type ListedDelivery = Omit<WebhookDeliveryEntity, 'rawBody' | 'headers' | 'dedupeKey'>;

interface Source {
  readonly from: string;
  readonly columns: string;
  readonly time: string;
  readonly key: string;
  /** Condition by filter; `$` stands for the value. */
  readonly conditions: Readonly<Record<keyof ListFilter, string>>;
}

const BY_COLUMNS = { state: 'state = $', store: 'store = $', externalId: 'external_id = $' };

const SOURCES = {
  deliveries: {
    from: 'webhook_delivery',
    columns:
      'id, workspace, via, state, action, external_id, task_id, note, attempts, next_attempt_at, received_at, settled_at',
    time: 'received_at',
    key: 'id',
    conditions: {
      ...BY_COLUMNS,
      store: 'external_id IN (SELECT external_id FROM store_product WHERE store_product.store = $)',
    },
  },
  writeBacks: { from: 'write_back', columns: '*', time: 'created_at', key: 'id', conditions: BY_COLUMNS },
  runs: {
    from: 'sync_run',
    columns: '*',
    time: 'created_at',
    key: 'id',
    conditions: {
      ...BY_COLUMNS,
      externalId: 'id IN (SELECT run_id FROM sync_action WHERE sync_action.external_id = $)',
    },
  },
  plans: {
    from: 'saved_plan',
    columns: '*',
    time: 'created_at',
    key: 'id',
    conditions: {
      ...BY_COLUMNS,
      externalId: 'id IN (SELECT plan_id FROM saved_plan_entry WHERE saved_plan_entry.external_id = $)',
    },
  },
  products: {
    from: 'store_product',
    columns: '*',
    time: 'first_seen_at',
    key: 'external_id',
    conditions: BY_COLUMNS,
  },
} as const satisfies Readonly<Record<string, Source>>;

/** Paged lists for people: filtered, newest or oldest first, in an order that holds still between pages. */
@Injectable()
export class ListingRepository {
  constructor(private readonly db: Database) {}

  deliveries(page: PageWish, filter: ListFilter): Promise<Listed<ListedDelivery>> {
    return this.#list(SOURCES.deliveries, page, filter);
  }

  writeBacks(page: PageWish, filter: ListFilter): Promise<Listed<WriteBackEntity>> {
    return this.#list(SOURCES.writeBacks, page, filter);
  }

  runs(page: PageWish, filter: ListFilter): Promise<Listed<SyncRunEntity>> {
    return this.#list(SOURCES.runs, page, filter);
  }

  plans(page: PageWish, filter: ListFilter): Promise<Listed<SavedPlanEntity>> {
    return this.#list(SOURCES.plans, page, filter);
  }

  products(page: PageWish, filter: ListFilter): Promise<Listed<StoreProductEntity>> {
    return this.#list(SOURCES.products, page, filter);
  }

  async #list<T extends object>(source: Source, page: PageWish, filter: ListFilter): Promise<Listed<T>> {
    const values: SqlValue[] = [];
    const conditions = (['state', 'store', 'externalId'] as const).flatMap((name) => {
      const value = filter[name];
      if (value === undefined) return [];
      values.push(value);
      return [source.conditions[name].replace('$', `$${String(values.length)}`)];
    });
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const direction = page.order === 'asc' ? 'ASC' : 'DESC';
    const [counted, rows] = await Promise.all([
      this.db.one<{ count: string }>(`SELECT count(*) FROM ${source.from} ${where}`, values),
      this.db.rows<T>(
        `SELECT ${source.columns} FROM ${source.from} ${where}
         ORDER BY ${source.time} ${direction}, ${source.key} ${direction}
         LIMIT $${String(values.length + 1)} OFFSET $${String(values.length + 2)}`,
        [...values, page.limit, page.offset],
      ),
    ]);
    return { total: Number(counted?.count ?? 0), rows };
  }
}
