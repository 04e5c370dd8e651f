import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './run-benches.js';
import type { Figure } from './table.js';
import { BenchWorld, type BenchDaemon } from './world.js';

const SHOP = 'bulk.myshopify.com';
const PRODUCTS = `'shopify:${SHOP}:' || product`;
/** The goal on two cores. It shrinks with the share of the work that is done. */
const GOAL_SECONDS = 60;
const GOAL_ROWS = 10_000;

interface BulkChange {
  readonly state: string;
  readonly done: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** Work 10: one decision about many results that wait for review. A rejection writes nothing to the store. */
export async function benchBulkChange(rows: number, log: Log): Promise<Figure[]> {
  const nobody = 'http://127.0.0.1:9';
  const world = await BenchWorld.open({
    catalogUrl: `${nobody}/api/v1`,
    stores: { main: { shop: SHOP, url: nobody } },
  });
  try {
    await seedReview(world, rows);
    const daemon = await world.start();
    const change = await rejectAll(world, daemon);
    await daemon.stop();
    if (change.state !== 'done' || change.done !== rows) throw new Error(JSON.stringify(change));
    const seconds = (Date.parse(change.finishedAt ?? '') - Date.parse(change.createdAt)) / 1000;
    log(`bulk change: ${String(rows)} rows in ${seconds.toFixed(1)} s`);
    const goal = (GOAL_SECONDS * rows) / GOAL_ROWS;
    return [
      {
        row: '10',
        work: `one rejection of ${String(rows)} results that wait for review`,
        figure: seconds,
        unit: 's',
        floor: null,
        floorIs: '',
        goal: `at most ${String(Math.ceil(goal))} s`,
        reached: seconds <= Math.ceil(goal),
      },
    ];
  } finally {
    await world.close();
  }
}

async function seedReview({ db }: BenchWorld, rows: number): Promise<void> {
  await db.query(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id)
     SELECT ${PRODUCTS}, 'main', 'default', 'gid://shopify/Product/' || product, 'Lamp', 'linked', product
     FROM generate_series(1, $1::int) AS product`,
    [rows],
  );
  await db.query(
    `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended)
     SELECT 'main', 'default', ${PRODUCTS}, md5(product::text), now(), 'pending_review', jsonb_build_array(
       jsonb_build_object('source', 'name', 'target', 'title', 'value', 'Better lamp ' || product),
       jsonb_build_object('source', 'html_description', 'target', 'descriptionHtml',
         'value', repeat('<p>' || md5(product::text) || '</p>', 50)))
     FROM generate_series(1, $1::int) AS product`,
    [rows],
  );
  await db.query('ANALYZE store_product, write_back');
}

async function rejectAll(world: BenchWorld, daemon: BenchDaemon): Promise<BulkChange> {
  const url = `${daemon.url}/api/v1/write-backs/bulk`;
  const headers = { authorization: `Bearer ${world.adminToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ action: 'reject', filter: { store: 'main' } });
  const asked = await fetch(url, { method: 'POST', headers, body });
  const { id } = (await asked.json()) as { id: string };
  for (;;) {
    const answer = await fetch(`${url}/${id}`, { headers });
    const change = (await answer.json()) as BulkChange;
    if (change.finishedAt !== null) return change;
    await sleep(250);
  }
}
