import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { productExternalId } from '../../src/domain/external-id.js';
import { valueHash } from '../../src/domain/written-content.js';
import { deliveryOf } from '../fault/deliveries.js';
import { startChild } from '../support/child.js';
import { nearFloor, type Figure } from './figure.js';
import { Sides } from './sides.js';
import { BenchWorld } from './world.js';

const THROTTLED_STORE = fileURLToPath(new URL('throttled-store-main.ts', import.meta.url));
const CAPACITY = 100;
const RESTORE_RATE = 100;

interface StoreReport {
  readonly points: number;
  readonly throttled: number;
  readonly seconds: number;
  readonly writes: number;
}

/** A backlog of results, written back under a bucket of 100 points a second. */
export async function benchWriteBacks(
  share: number,
  take: (...figures: readonly Figure[]) => void,
): Promise<void> {
  const results = Math.round(500 * share);
  const shop = 'throttled.myshopify.com';
  const child = startChild(THROTTLED_STORE, [shop, ...[results, CAPACITY, RESTORE_RATE].map(String)]);
  const { ids, ...side } = JSON.parse(await child.said('up ')) as {
    url: string;
    accessToken: string;
    ids: string[];
  };
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { throttled: { shop, ...side } },
  });
  try {
    await seedResults(world.db, 'throttled', shop, ids, (index) => ({
      title: `Lamp ${String(index + 1)}`,
      descriptionHtml: '<p>Plain.</p>',
    }));
    const daemon = await world.start();
    await allApplied(world.db, results);
    await daemon.stop();
    child.send('report');
    const { points, seconds, writes, throttled } = JSON.parse(await child.said('report ')) as StoreReport;
    if (writes !== results) throw new Error(`${String(writes)} writes for ${String(results)} results`);
    take(
      nearFloor(
        `${String(results)} write-backs of ${(points / results).toFixed(1)} points, ${String(throttled)} refused as throttled`,
        seconds,
        (points - CAPACITY) / RESTORE_RATE,
      ),
    );
  } finally {
    await child.kill();
    await sides.stop();
    await world.close();
  }
}

/** Results that arrived while no worker ran: linked products, and a stored delivery for each. */
async function seedResults(
  db: pg.Pool,
  store: string,
  shop: string,
  storeIds: readonly string[],
  live: (index: number) => { readonly title: string; readonly descriptionHtml: string },
): Promise<void> {
  for (let from = 0; from < storeIds.length; from += 1_000) {
    const rows = storeIds.slice(from, from + 1_000).map((storeId, index) => {
      const catalogId = from + index + 1;
      const externalId = productExternalId(`shopify:${shop}`, storeId.slice(storeId.lastIndexOf('/') + 1));
      const { key, body } = deliveryOf({
        action: 'product_generated',
        externalId,
        catalogId,
        taskId: `task-${String(catalogId)}`,
        createdAt: new Date(),
        content: {
          name: `Better lamp ${String(catalogId)}`,
          html_description: '<p>Better.</p>',
        },
      });
      const { title, descriptionHtml } = live(from + index);
      const seen = { title: valueHash(title), descriptionHtml: valueHash(descriptionHtml) };
      return { seen, externalId, storeId, catalogId: String(catalogId), key, body: body.toString() };
    });
    const given = JSON.stringify(rows);
    await db.query(
      `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id, seen_fields)
       SELECT "externalId", $1, 'default', "storeId", "storeId", 'linked', "catalogId", seen
       FROM jsonb_to_recordset($2::jsonb) AS row("externalId" text, "storeId" text, "catalogId" text, seen jsonb)`,
      [store, given],
    );
    await db.query(
      `INSERT INTO webhook_delivery (workspace, dedupe_key, via, raw_body, action)
       SELECT 'default', key, 'webhook', convert_to(body, 'UTF8'), 'product_generated'
       FROM jsonb_to_recordset($1::jsonb) AS row(key text, body text)`,
      [given],
    );
  }
  await db.query('ANALYZE store_product, webhook_delivery');
}

async function applied(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM write_back WHERE state = 'applied'`,
  );
  return Number(rows[0]?.count ?? 0);
}

async function allApplied(db: pg.Pool, count: number): Promise<void> {
  while ((await applied(db)) < count) {
    const { rows } = await db.query<{ state: string; reason: string | null }>(
      `SELECT state, reason FROM write_back WHERE state NOT IN ('applied', 'ready') LIMIT 1`,
    );
    const [other] = rows;
    if (other !== undefined) throw new Error(`a write-back is ${other.state}: ${other.reason ?? ''}`);
    await sleep(100);
  }
}
