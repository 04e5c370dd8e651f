import type { Queryable } from '../database.js';
import type { ProductView } from './product.schemas.js';

interface ProductRow {
  id: number;
  parent_id: number | null;
  external_id: string | null;
  sku: string | null;
  barcode: string | null;
  mpn: string | null;
  asin: string | null;
  brand: string | null;
  category: string | null;
  url: string | null;
  crawl_configuration: ProductView['crawl_configuration'];
  images: ProductView['images'];
  metadata: ProductView['metadata'];
  product_lists: string[];
  tags: number[];
  is_product_model: boolean;
  created_at: Date;
  name: string | null;
  description: string | null;
  html_description: string | null;
  open_attributes: ProductView['open_attributes'] | null;
  sections: ProductView['sections'] | null;
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

// SQL: the sandbox has no object mapper, because it shares no code with the product.
const SELECT_PRODUCT = `
  SELECT p.*, ${DISPLAYED_NAME} AS name,
    coalesce(shown.generated_description, shown.description, base.generated_description, base.description) AS description,
    coalesce(shown.generated_html_description, shown.html_description,
             base.generated_html_description, base.html_description) AS html_description,
    coalesce(shown.open_attributes, base.open_attributes) AS open_attributes,
    coalesce(shown.sections, base.sections) AS sections
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

function asView(row: ProductRow): ProductView {
  return {
    id: row.id,
    sku: row.sku,
    barcode: row.barcode,
    mpn: row.mpn,
    asin: row.asin,
    brand: row.brand,
    category: row.category,
    name: row.name,
    description: row.description,
    url: row.url,
    html_description: row.html_description,
    external_id: row.external_id,
    open_attributes: row.open_attributes ?? {},
    crawl_configuration: row.crawl_configuration,
    images: row.images,
    metadata: row.metadata,
    product_lists: row.product_lists,
    tags_to_update: row.tags,
    is_product_model: row.is_product_model,
    created_at: row.created_at.toISOString(),
    sections: row.sections ?? [],
  };
}
