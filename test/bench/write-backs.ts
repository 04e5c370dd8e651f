import { setTimeout as sleep } from 'node:timers/promises';
import { productExternalId } from '../../src/domain/external-id.js';
import { valueHash } from '../../src/domain/written-content.js';
import { deliveryOf } from '../fault/deliveries.js';
import { World } from '../support/e2e-world.js';
import { nearFloor, type Take } from './figure.js';

const CAPACITY = 100;
const RESTORE_RATE = 100;
const TITLE = 'Lamp';
const DESCRIPTION = '<p>Plain.</p>';

/** A backlog of results, written back under a bucket of 100 points a second. */
export async function benchWriteBacks(share: number, take: Take): Promise<void> {
  const results = Math.round(500 * share);
  const world = await World.open({
    catalog: false,
    store: { throttle: { capacity: CAPACITY, restoreRate: RESTORE_RATE } },
    settings: { workspaces: { default: { webhook: { register: false } } } },
  });
  try {
    await seedResults(world, results);
    await world.start();
    while ((await applied(world)) < results) await sleep(100);
    const { requests, mutations } = world.store;
    const writes = mutations.filter(({ name }) => name === 'productUpdate').length;
    if (writes !== results) throw new Error(`${String(writes)} writes for ${String(results)} results`);
    const points = requests.reduce((sum, request) => sum + request.points, 0);
    const at = requests.map((request) => request.at.getTime());
    const refused = requests.filter(({ throttled }) => throttled).length;
    take(
      nearFloor(
        `${String(results)} write-backs of ${(points / results).toFixed(1)} points, ${String(refused)} refused as throttled`,
        (Math.max(...at) - Math.min(...at)) / 1000,
        (points - CAPACITY) / RESTORE_RATE,
      ),
    );
  } finally {
    await world.end();
  }
}

/** Results that arrived while no worker ran: products of the store, their links, and a stored delivery for each. */
async function seedResults(world: World, results: number): Promise<void> {
  const seen = { title: valueHash(TITLE), descriptionHtml: valueHash(DESCRIPTION) };
  const rows = Array.from({ length: results }, (_, index) => {
    const handle = `lamp-${String(index)}`;
    const { id, gid } = world.store.products.create({ title: TITLE, handle, descriptionHtml: DESCRIPTION });
    const externalId = productExternalId(`shopify:${world.store.shop}`, String(id));
    const { key, body } = deliveryOf({
      ...{ action: 'product_generated', externalId, catalogId: index + 1, taskId: `task-${String(index)}` },
      createdAt: new Date(),
      content: { name: `Better ${handle}`, html_description: '<p>Better.</p>' },
    });
    return { seen, externalId, storeId: gid, catalogId: String(index + 1), key, body: body.toString() };
  });
  const given = JSON.stringify(rows);
  await world.rows(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id, seen_fields)
     SELECT "externalId", 'main', 'default', "storeId", "storeId", 'linked', "catalogId", seen
     FROM jsonb_to_recordset($1::jsonb) AS row("externalId" text, "storeId" text, "catalogId" text, seen jsonb)`,
    [given],
  );
  await world.rows(
    `INSERT INTO webhook_delivery (workspace, dedupe_key, via, raw_body, action)
     SELECT 'default', key, 'webhook', convert_to(body, 'UTF8'), 'product_generated'
     FROM jsonb_to_recordset($1::jsonb) AS row(key text, body text)`,
    [given],
  );
  await world.rows('ANALYZE store_product, webhook_delivery');
}

/** How many are applied. Throws when one has another end. */
async function applied(world: World): Promise<number> {
  const rows = await world.rows<{ state: string; reason: string | null }>(
    `SELECT state, reason FROM write_back WHERE state <> 'ready'`,
  );
  const other = rows.find(({ state }) => state !== 'applied');
  if (other !== undefined) throw new Error(`a write-back is ${other.state}: ${other.reason ?? ''}`);
  return rows.length;
}
