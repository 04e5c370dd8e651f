import type { Query } from './base-url.js';

/** Query parameters of docs/catalog-rules.md#get-products, all optional. */
export interface ProductFilters {
  /** Overrides the client's locale. */
  readonly locale?: string;
  /** Matches barcode, sku, mpn, asin and name; not external_id. */
  readonly search?: string;
  /** Substring of a single brand. */
  readonly brand?: string;
  readonly brands?: readonly string[];
  /** A category's UUID, including its descendants, or `no_category`. */
  readonly category?: string;
  /** Tag ids, or `none` for products without tags. */
  readonly tag?: readonly number[] | 'none';
  /** Dates, YYYY-MM-DD. */
  readonly createdAtAfter?: string;
  readonly createdAtBefore?: string;
  readonly images?: boolean;
  /** Generation status. */
  readonly tasks?: 'none' | 'success' | 'not_generated';
  readonly productList?: string;
  /** The service's default is `desc`. */
  readonly sorting?: 'asc' | 'desc';
  /** The service's default is `date`. */
  readonly orderBy?: 'date' | 'task';
  /** How many products a page may have (assumed: `page_size`). The client goes without it where the service refuses it. */
  readonly pageSize?: number;
}

/** `brands` and `tag` are repeated and not joined, because a brand may contain a comma. */
export function productQuery(filters: ProductFilters, defaultLocale: string | undefined): Query {
  const tags = filters.tag === 'none' ? ['none'] : filters.tag?.map(String);
  const values: readonly (readonly [string, string | undefined])[] = [
    ['locale', filters.locale ?? defaultLocale],
    ['search', filters.search],
    ['brand', filters.brand],
    ...(filters.brands ?? []).map((brand) => ['brands', brand] as const),
    ['category', filters.category],
    ...(tags ?? []).map((tag) => ['tag', tag] as const),
    ['created_at_after', filters.createdAtAfter],
    ['created_at_before', filters.createdAtBefore],
    ['images', filters.images?.toString()],
    ['tasks', filters.tasks],
    ['product_list', filters.productList],
    ['sorting', filters.sorting],
    ['order_by', filters.orderBy],
    ['page_size', filters.pageSize?.toString()],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
