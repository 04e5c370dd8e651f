import type { Queryable } from '../database.js';
import type { ProductView } from './product.schemas.js';

/** Times are written as JSON. */
interface ProductRow extends ProductView {
  readonly parent_id: number | null;
}

/**
 * The language in which a product is shown. A text that is missing in `locale` is taken from `fallback`, field by
 * field; where `fallback` is null it stays empty.
 */
export interface LocaleChoice {
  readonly locale: string;
  readonly fallback: string | null;
}

/** $1 and $2 are the locale and the fallback; `p` is the product. */
export const DISPLAYED_NAME = 'coalesce(shown.generated_name, shown.name, base.generated_name, base.name)';
export const PRODUCT_SOURCE = `product p
  LEFT JOIN product_text shown ON shown.product_id = p.id AND shown.locale = $1
  LEFT JOIN product_text base ON base.product_id = p.id AND base.locale = $2`;

const SELECT_PRODUCT = `
  SELECT p.id, p.parent_id, p.sku, p.barcode, p.mpn, p.asin, p.brand, p.category, p.url, p.external_id, p.crawl_configuration,
    p.images, p.metadata, p.product_lists, p.tags AS tags_to_update, p.is_product_model, p.created_at,
    ${DISPLAYED_NAME} AS name,
    coalesce(shown.generated_description, shown.description, base.generated_description, base.description) AS description,
    coalesce(shown.generated_html_description, shown.html_description,
             base.generated_html_description, base.html_description) AS html_description,
    coalesce(shown.open_attributes, base.open_attributes, '{}') AS open_attributes,
    coalesce(shown.sections, base.sections, '[]') AS sections
  FROM ${PRODUCT_SOURCE}`;

/** Runs the product query with `clauses` after its FROM; their parameters start at $3. */
export async function selectProducts(
  db: Queryable,
  { locale, fallback }: LocaleChoice,
  clauses: string,
  values: readonly unknown[],
): Promise<ProductView[]> {
  const { rows } = await db.query<ProductRow>(`${SELECT_PRODUCT} ${clauses}`, [locale, fallback, ...values]);
  return rows.map(asView);
}

/** One product with its variants, theirs, and so on; undefined when there is none. */
export async function selectProductTree(
  db: Queryable,
  choice: LocaleChoice,
  id: number,
): Promise<ProductView | undefined> {
  const [root] = await selectProducts(db, choice, 'WHERE p.id = $3', [id]);
  if (root === undefined) return undefined;
  await attachVariants(db, choice, [root]);
  return root;
}

async function attachVariants(
  db: Queryable,
  { locale, fallback }: LocaleChoice,
  parents: ProductView[],
): Promise<void> {
  const byId = new Map(parents.map((parent) => [parent.id, parent]));
  for (const parent of parents) parent.variants = [];
  const { rows } = await db.query<ProductRow>(`${SELECT_PRODUCT} WHERE p.parent_id = ANY($3) ORDER BY p.id`, [
    locale,
    fallback,
    [...byId.keys()],
  ]);
  if (rows.length === 0) return;
  const variants = rows.map((row) => {
    const view = asView(row);
    byId.get(row.parent_id ?? 0)?.variants?.push(view);
    return view;
  });
  await attachVariants(db, { locale, fallback }, variants);
}

function asView({ parent_id: _parent, ...view }: ProductRow): ProductView {
  return view;
}
