import type pg from 'pg';
import type { SourceProduct } from '../../src/domain/store-port.js';
import { parseLine } from '../../src/store/shopify/export-lines.js';
import { planProduct } from '../../src/planner/plan-product.js';
import { sourceRules } from '../../src/planner/source.js';
import { productsOf } from '../../src/store/shopify/exported-products.js';
import { fieldHashes, identifiersOf } from '../../src/planner/map-to-catalog.js';
import { storeSchema } from '../../src/config/store-schema.js';
import { productLines } from './products.js';

const BATCH = 2_000;

function benchProduct(shop: string, id: number): SourceProduct {
  const lines = productLines(id).map((line) => parseLine(Buffer.from(line)));
  const [product] = productsOf(lines, { identity: `shopify:${shop}`, variantMetafields: [], locales: [] });
  if (product === undefined) throw new Error('the lines hold no product');
  return product;
}

/** Products 1 to `count` as linked by earlier runs: pushed in full, nothing pending. A batch is planned while the last one is inserted. */
export async function seedLinks(
  db: pg.Pool,
  { store, shop }: { readonly store: string; readonly shop: string },
  count: number,
  firstCatalogId = 1,
): Promise<void> {
  const settings = storeSchema.parse({ workspace: 'default', shop, auth: { accessToken: 'bench' } });
  const rules = sourceRules(shop, settings.mapping, settings.writeBack);
  let inserted = Promise.resolve();
  for (let from = 1; from <= count; from += BATCH) {
    const links: object[] = [];
    const identifiers: object[] = [];
    for (let id = from; id < Math.min(from + BATCH, count + 1); id++) {
      const plan = planProduct(benchProduct(shop, id).snapshot(), null, rules, new Set());
      if (plan.kind === 'unchanged' || plan.kind === 'put_off')
        throw new Error('a product without a link is new');
      links.push({
        external_id: plan.externalId,
        store_id: plan.storeId,
        label: plan.label,
        catalog_id: String(firstCatalogId + id - 1),
        source_fingerprint: plan.sourceFingerprint,
        pushed_fields: fieldHashes(plan.body),
        seen_fields: plan.seen,
      });
      for (const each of identifiersOf(plan.body)) identifiers.push({ ...each, product: plan.externalId });
    }
    await inserted;
    inserted = insert(db, store, links, identifiers);
  }
  await inserted;
  if (firstCatalogId === 1) await db.query('ANALYZE store_product, product_identifier');
}

async function insert(
  db: pg.Pool,
  store: string,
  links: readonly object[],
  identifiers: readonly object[],
): Promise<void> {
  await db.query(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, handle, state, catalog_id, source_fingerprint,
       pushed_fields, seen_fields)
     SELECT external_id, $1, 'default', store_id, label, label, 'linked', catalog_id, source_fingerprint, pushed_fields,
       seen_fields
     FROM jsonb_to_recordset($2::jsonb) AS row(external_id text, store_id text, label text, catalog_id text,
       source_fingerprint text, pushed_fields jsonb, seen_fields jsonb)`,
    [store, JSON.stringify(links)],
  );
  await db.query(
    `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product)
     SELECT 'default', kind, lower(value), value, owner, $1, product
     FROM jsonb_to_recordset($2::jsonb) AS row(kind text, value text, owner text, product text) ON CONFLICT DO NOTHING`,
    [store, JSON.stringify(identifiers)],
  );
}
