import { z } from 'zod';
import type { Queryable } from '../database.js';
import { parseOrRefuse } from '../http/errors.js';
import type { PageRequest } from '../http/pages.js';
import { list, queryValues, single } from '../http/query.js';
import { DISPLAYED_NAME, PRODUCT_SOURCE, selectProducts, type LocaleChoice } from './product-rows.js';
import type { ProductView } from './product.schemas.js';

const flag = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0'], 'Either true or false.'))
  .transform((value) => value === 'true' || value === '1');

/** The filters of docs/catalog-rules.md#get-products. Parameters that it does not name are ignored. */
const listQuery = z.object({
  search: single(z.string()),
  brand: single(z.string()),
  brands: list,
  category: single(z.union([z.literal('no_category'), z.guid()], 'A category UUID or no_category.')),
  tag: list.pipe(
    z.array(z.union([z.literal('none'), z.string().regex(/^-?\d{1,9}$/)], 'A tag id or none.')).optional(),
  ),
  created_at_after: single(z.iso.date()),
  created_at_before: single(z.iso.date()),
  images: single(flag),
  tasks: single(z.enum(['none', 'success', 'not_generated'])),
  product_list: single(z.string()),
  sorting: single(z.enum(['asc', 'desc'])),
  order_by: single(z.enum(['date', 'task'])),
});
export type ProductFilters = z.infer<typeof listQuery>;

export function productFilters(url: string): ProductFilters {
  return parseOrRefuse(listQuery, queryValues(url));
}

/** The condition of a filter on the generation status. The three do not overlap. */
const GENERATION_STATUSES = {
  none: ['none'],
  success: ['success'],
  not_generated: ['open', 'failed', 'no_urls'],
} as const;

/** One page of parents and standalone products, and how many there are in all. */
export async function listProducts(
  db: Queryable,
  choice: LocaleChoice,
  filters: ProductFilters,
  page: PageRequest,
): Promise<{ readonly count: number; readonly results: ProductView[] }> {
  const { where, values } = conditions(filters);
  const { rows } = await db.query<{ count: number }>(
    // Both locales are named, so that the parameters have a type even where no filter looks at a text.
    `SELECT count(*)::integer AS count FROM ${PRODUCT_SOURCE} WHERE ${where}`,
    [choice.locale, choice.fallback, ...values],
  );
  const direction = filters.sorting === 'asc' ? 'ASC' : 'DESC';
  const order =
    filters.order_by === 'task'
      ? `p.generation_at ${direction} NULLS LAST, p.id ${direction}`
      : `p.created_at ${direction}, p.id ${direction}`;
  const results = await selectProducts(
    db,
    choice,
    `WHERE ${where} ORDER BY ${order} LIMIT ${page.size} OFFSET ${page.offset}`,
    values,
  );
  return { count: rows[0]?.count ?? 0, results };
}

function conditions(filters: ProductFilters): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const parts = ['p.parent_id IS NULL'];
  const parameter = (value: unknown): string => {
    values.push(value);
    return `$${values.length + 2}`;
  };
  const { search, brand, brands, category, tag, images, tasks, product_list: productList } = filters;
  if (search !== undefined) {
    const pattern = parameter(containing(search));
    const columns = ['p.barcode', 'p.sku', 'p.mpn', 'p.asin', DISPLAYED_NAME];
    parts.push(`(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`);
  }
  if (brand !== undefined) parts.push(`p.brand ILIKE ${parameter(containing(brand))}`);
  if (brands !== undefined) {
    parts.push(`lower(p.brand) = ANY(${parameter(brands.map((name) => name.toLowerCase()))})`);
  }
  if (category === 'no_category') parts.push('p.category_id IS NULL');
  else if (category !== undefined) parts.push(`p.category_id IN (${descendants(parameter(category))})`);
  if (tag !== undefined) {
    const ids = tag.filter((value) => value !== 'none').map(Number);
    const tagged = `p.tags && ${parameter(ids)}::integer[]`;
    parts.push(tag.includes('none') ? `(${tagged} OR p.tags = '{}')` : tagged);
  }
  if (filters.created_at_after !== undefined) {
    parts.push(`p.created_at >= ${parameter(`${filters.created_at_after}T00:00:00Z`)}::timestamptz`);
  }
  if (filters.created_at_before !== undefined) {
    parts.push(
      `p.created_at < ${parameter(`${filters.created_at_before}T00:00:00Z`)}::timestamptz + interval '24 hours'`,
    );
  }
  if (images !== undefined) parts.push(`json_array_length(p.images) ${images ? '>' : '='} 0`);
  if (tasks !== undefined) parts.push(`p.generation_status = ANY(${parameter(GENERATION_STATUSES[tasks])})`);
  if (productList !== undefined) parts.push(`${parameter(productList)} = ANY(p.product_lists)`);
  return { where: parts.join(' AND '), values };
}

function descendants(rootParameter: string): string {
  return `WITH RECURSIVE branch AS (
    SELECT id FROM category WHERE id = ${rootParameter}::uuid
    UNION ALL SELECT c.id FROM category c JOIN branch b ON c.parent_id = b.id
  ) SELECT id FROM branch`;
}

/** A LIKE pattern for text that contains this, whatever characters it has. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
