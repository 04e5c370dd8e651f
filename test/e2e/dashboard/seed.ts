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

/** A saved plan with an entry of each kind. Returns its id. */
export async function seedPlan(world: World): Promise<string> {
  const [row] = await world.rows<{ id: string }>(
    `WITH plan AS (INSERT INTO sync_run (store, workspace, kind, trigger, state, plan) VALUES ('main', 'default', 'full', 'command', 'planned',
         jsonb_build_object('entries', 4, 'incomplete', NULL, 'createdAt', now(), 'appliedAt', NULL, 'counts',
           '{"seen": 9, "creates": 1, "updates": 2, "orphans": 1, "unchanged": 4, "conflicted": 1}'::jsonb)) RETURNING id),
       entries AS (INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, reason, wants_generation, state)
         SELECT plan.id, 'main', 'shopify:${world.store.shop}:93' || position, position, 'A planned ' || kind, kind, 'changed in the store',
           kind = 'create', 'draft' FROM plan, unnest(ARRAY['create', 'adopt', 'update', 'orphan']) WITH ORDINALITY AS each (kind, position))
     SELECT id FROM plan`,
  );
  return row?.id ?? '';
}

/** An earlier run that a limit stopped. Returns its id. */
export async function seedStoppedRun(world: World): Promise<string> {
  const [row] = await world.rows<{ id: string }>(
    `INSERT INTO sync_run (store, workspace, kind, trigger, state, error_code, error, created_at, started_at, finished_at)
     VALUES ('main', 'default', 'full', 'schedule', 'failed', 'limit',
       'stopped by limits.maxOrphanedShare: the run would orphan 50.0 % of the linked products, 20.0 % are allowed; nothing was applied',
       now() - interval '1 day', now() - interval '1 day', now() - interval '1 day' + interval '9 seconds') RETURNING id`,
  );
  return row?.id ?? '';
}

/** A look for drift that found a product whose text somebody changed. Returns its id. */
export async function seedDrift(world: World): Promise<string> {
  const finding = {
    ...{ kind: 'edited', target: 'title', detail: 'somebody edited it in the shop' },
    ...{ live: `An unbroken ${'text'.repeat(40)}`, written: 'A written title' },
  };
  const product = {
    externalId: `shopify:${world.store.shop}:94`,
    label: 'A drifted mug',
    findings: [finding],
  };
  const result = {
    ...{ store: 'main', checked: 5, passedOver: 1, drifted: 1, catalogProblem: null },
    products: [product],
  };
  const [row] = await world.rows<{ id: string }>(
    `INSERT INTO report (kind, store, state, actor, result, finished_at) VALUES ('drift', 'main', 'done', 'admin', $1, now()) RETURNING id`,
    [JSON.stringify(result)],
  );
  return row?.id ?? '';
}
