import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { startChild } from '../support/child.js';
import { startTestRedis } from '../support/redis.js';
import { valueHash } from '../../src/domain/written-content.js';
import { productExternalId } from '../../src/domain/external-id.js';
import { deliveryOf } from '../fault/deliveries.js';
import { ATTRIBUTES } from './attributes.js';
import type { Log, Take } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

const THROTTLED_STORE = fileURLToPath(new URL('throttled-store-main.ts', import.meta.url));
const CAPACITY = 2_000;
const RESTORE_RATE = 100;
/** The delay of the store. One daemon mostly waits for it, and two cores are enough for four daemons. */
const STORE_MS = 400;

/** Results that arrived while no worker ran: linked products, and a stored delivery for each. */
async function seedResults(
  db: pg.Pool,
  store: string,
  shop: string,
  storeIds: readonly string[],
  live: (index: number) => { readonly title: string; readonly descriptionHtml: string },
  attributes = 0,
): Promise<void> {
  for (let from = 0; from < storeIds.length; from += 1_000) {
    const rows = storeIds.slice(from, from + 1_000).map((storeId, index) => {
      const catalogId = from + index + 1;
      const externalId = productExternalId(shop, storeId.slice(storeId.lastIndexOf('/') + 1));
      const { key, body } = deliveryOf({
        action: 'product_generated',
        externalId,
        catalogId,
        taskId: `task-${String(catalogId)}`,
        createdAt: new Date(),
        content: {
          name: `Better lamp ${String(catalogId)}`,
          html_description: '<p>Better.</p>',
          sections: sectionsOf(attributes, catalogId),
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

function sectionsOf(attributes: number, catalogId: number): object[] {
  return codesOf(attributes).map((code) => ({ code, value: `${code} of lamp ${String(catalogId)}` }));
}

function codesOf(attributes: number): string[] {
  return Array.from({ length: attributes }, (_each, index) => `a${String(index + 1)}`);
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

interface StoreReport {
  readonly points: number;
  readonly throttled: number;
  readonly seconds: number;
  readonly writes: number;
  readonly requests: number;
}

/** Work 7: a backlog of results under a store's bucket. */
export async function benchWriteBacks(results: number, log: Log): Promise<Figure[]> {
  return budgetFigures('7', 'results', results, await writtenBack(results, 0, log));
}

/** Metafields that one call of the store takes. */
const METAFIELDS_OF_A_CALL = 25;

/** Work 13b: the same with attributes that are mapped to metafields of the merchant. */
export async function benchAttributeWrites(results: number, log: Log): Promise<Figure[]> {
  const report = await writtenBack(results, ATTRIBUTES, log);
  const least = 2 + Math.ceil(ATTRIBUTES / METAFIELDS_OF_A_CALL);
  const each = report.requests / results;
  return [
    ...budgetFigures('13b', `results with ${String(ATTRIBUTES)} mapped attributes each`, results, report),
    {
      row: '13b',
      work: 'requests to the store for each of them',
      figure: each,
      unit: '',
      floor: least,
      floorIs: `a read, a write, and a call for each ${String(METAFIELDS_OF_A_CALL)} metafields`,
      goal: 'at most 1.1 ×',
      reached: each <= 1.1 * least,
    },
  ];
}

function budgetFigures(row: string, what: string, results: number, report: StoreReport): Figure[] {
  const { points, seconds, throttled } = report;
  return [
    {
      row,
      work: `${String(results)} ${what} written back (${(points / results).toFixed(1)} points each), points a second beyond the bucket`,
      figure: (points - CAPACITY) / seconds,
      unit: '/s',
      floor: RESTORE_RATE,
      floorIs: 'restore rate',
      goal: 'at least 0.95 ×',
      reached: points >= 0.95 * (CAPACITY + RESTORE_RATE * seconds),
    },
    {
      row,
      work: 'refused as THROTTLED',
      figure: throttled,
      unit: '',
      floor: null,
      floorIs: '',
      goal: '0',
      reached: throttled === 0,
    },
  ];
}

/** Writes a backlog of results with so many attributes back, into a store with a bucket; what the store counted. */
async function writtenBack(results: number, attributes: number, log: Log): Promise<StoreReport> {
  const shop = 'throttled.myshopify.com';
  const child = startChild(THROTTLED_STORE, [
    shop,
    ...[results, CAPACITY, RESTORE_RATE, attributes].map(String),
  ]);
  const { ids, ...side } = JSON.parse(await child.said('up ')) as {
    url: string;
    accessToken: string;
    ids: string[];
  };
  const mapped = Object.fromEntries(codesOf(attributes).map((code) => [code, `specs.${code}`]));
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { throttled: { shop, ...side, writeBack: { attributes: mapped } } },
  });
  try {
    const live = (index: number) => ({
      title: `Lamp ${String(index + 1)}`,
      descriptionHtml: '<p>Plain.</p>',
    });
    await seedResults(world.db, 'throttled', shop, ids, live, attributes);
    const daemon = await world.start();
    await allApplied(world.db, results);
    await daemon.stop();
    child.send('report');
    const report = JSON.parse(await child.said('report ')) as StoreReport;
    log(`write-backs with ${String(attributes)} attributes: ${JSON.stringify(report)}`);
    if (report.writes !== results)
      throw new Error(`${String(report.writes)} writes for ${String(results)} results`);
    return report;
  } finally {
    await child.kill();
    await sides.stop();
    await world.close();
  }
}

/** Work 9: the same backlog in a slow store without a rate limit, processed by one, two and four daemons. */
export async function benchReplicas(results: number, log: Log, take: Take): Promise<void> {
  const sides = await Sides.start();
  try {
    await sides.order({ storeMs: STORE_MS });
    const secondsOf = async (replicas: number): Promise<number> => {
      const seconds = await worked(sides, replicas, results);
      log(`replicas: ${String(replicas)} took ${seconds.toFixed(2)} s`);
      return seconds;
    };
    const one = await secondsOf(1);
    for (const { replicas, goal } of [
      { replicas: 2, goal: 1.8 },
      { replicas: 4, goal: 3.2 },
    ]) {
      const gain = one / (await secondsOf(replicas));
      take({
        row: '9',
        work: `${String(results)} results, the store answering in ${String(STORE_MS)} ms, ${String(replicas)} replicas: times as fast`,
        figure: gain,
        unit: '×',
        floor: 1,
        floorIs: 'one replica',
        goal: `at least ${String(goal)} ×`,
        reached: gain >= goal,
      });
    }
  } finally {
    await sides.stop();
  }
}

async function worked(sides: Sides, replicas: number, results: number): Promise<number> {
  const shop = 'slow.myshopify.com';
  const redis = await startTestRedis();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { slow: { shop, url: sides.storeUrl } },
    redisUrl: redis.url,
  });
  try {
    const daemons = await Promise.all(Array.from({ length: replicas }, () => world.start()));
    const ids = Array.from({ length: results }, (_, index) => `gid://shopify/Product/${String(index + 1)}`);
    await seedResults(world.db, 'slow', shop, ids, () => ({ title: 'Lamp', descriptionHtml: '<p>Lamp</p>' }));
    await allApplied(world.db, 1);
    const began = performance.now();
    const first = await applied(world.db);
    await allApplied(world.db, results);
    const seconds = ((performance.now() - began) / 1000) * (results / (results - first));
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    return seconds;
  } finally {
    await world.close();
    await redis.stop();
  }
}
