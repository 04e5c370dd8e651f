import type { World } from '../../support/e2e-world.js';

export interface SeededProduct {
  /** The number of the product in the store. The store need not have it. */
  readonly number: number;
  readonly label: string;
  readonly state?: string;
  readonly title: string;
  readonly description: string;
  readonly reason?: string;
}

/** Rows of linked products with one write-back each. Neither the store nor the catalog has these products. */
export async function seedWriteBacks(world: World, products: readonly SeededProduct[]): Promise<void> {
  const shop = world.store.shop;
  const rows = products.map(({ number, label, state = 'pending_review', title, description, reason }) => ({
    ...{ label, state, reason: reason ?? null },
    external_id: `shopify:${shop}:${number}`,
    store_id: `gid://shopify/Product/${number}`,
    number,
    intended: [
      { target: 'title', value: title, type: null, from: 'name', raw: title },
      {
        target: 'descriptionHtml',
        value: description,
        type: null,
        from: 'html_description',
        raw: description,
      },
      {
        target: 'metafield:catalog.material',
        value: title,
        type: 'single_line_text_field',
        from: 'sections.material',
        raw: null,
      },
    ],
  }));
  await world.rows(
    `WITH given AS (SELECT * FROM jsonb_to_recordset($1::jsonb)
         AS row (external_id text, store_id text, number bigint, label text, state text, reason text, intended jsonb)),
       links AS (INSERT INTO store_product (external_id, store, workspace, store_id, label, handle, state, catalog_id)
         SELECT external_id, 'main', 'default', store_id, label, 'seeded-' || number, 'linked', number::text FROM given)
     INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, reason, intended, created_at)
       SELECT 'main', 'default', external_id, 'seeded-' || number, now(), state, reason, intended,
         now() - number % 100000 * interval '1 second' FROM given`,
    [JSON.stringify(rows)],
  );
}
