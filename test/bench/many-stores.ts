import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runDirectory } from '../support/run-directory.js';
import { startTestRedis } from '../support/redis.js';
import { writeExportFile } from './export-files.js';
import type { Log, Take } from './run-benches.js';
import { seedLinks } from './seed.js';
import { LISTING_PAGE, Sides } from './sides.js';
import type { Figure } from './table.js';
import { type BenchDaemon, BenchWorld } from './world.js';

const MEGABYTE = 1024 * 1024;
/** A comparison of tenths says nothing about fewer runs. */
const FEWEST_COMPARED = 40;
/** So long that runs wait for the store most of their time. */
const STORE_MS = 400;

/** Stores with the same number of products each. */
export interface Fleet {
  readonly shops: readonly string[];
  readonly products: number;
}

/** A fleet whose stores answer elsewhere than at the first side. */
export type PlacedFleet = Fleet & { readonly storeUrl?: string };

export function fleetOf(stores: number, total: number): Fleet {
  const shops = Array.from({ length: stores }, (_, index) => `fleet-${String(index)}.myshopify.com`);
  return { shops, products: Math.max(1, Math.round(total / stores)) };
}

export const keyOf = (shop: string): string => shop.replace('.myshopify.com', '');

/** A world of which each product has a link, and the catalog's ids in the order of the fleets. */
export async function openFleet(
  sides: Sides,
  fleets: readonly PlacedFleet[],
  redisUrl?: string,
): Promise<BenchWorld> {
  const stores = fleets.flatMap(({ shops, products, storeUrl }) =>
    shops.map((shop) => ({ shop, products, url: storeUrl ?? sides.storeUrl })),
  );
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: Object.fromEntries(stores.map(({ shop, url }) => [keyOf(shop), { shop, url }])),
    ...(redisUrl === undefined ? {} : { redisUrl }),
  });
  let next = 1;
  for (const { shop, products } of stores) {
    await seedLinks(world.db, { store: keyOf(shop), shop }, products, next);
    next += products;
  }
  await world.db.query('VACUUM ANALYZE');
  return world;
}

/** Full runs of the schedule, all due at the same moment. */
async function allDue(db: pg.Pool, { shops }: Fleet): Promise<void> {
  await db.query(
    `INSERT INTO sync_run (store, workspace, kind, trigger) SELECT unnest($1::text[]), 'default', 'full', 'schedule'`,
    [shops.map(keyOf)],
  );
}

interface Ended {
  readonly seconds: number;
  /** Milliseconds of each run, in the order in which they began. */
  readonly runs: readonly number[];
}

async function allEnded(db: pg.Pool, fleet: Fleet): Promise<Ended> {
  for (;;) {
    const { rows } = await db.query<{
      state: string;
      started: number;
      finished: number;
      seen: string;
      error: string;
    }>(
      `SELECT state, extract(epoch FROM started_at)::float8 * 1000 AS started, extract(epoch FROM finished_at)::float8 * 1000 AS finished,
         counts->>'seen' AS seen, coalesce(error, '') AS error FROM sync_run ORDER BY started_at`,
    );
    const open = rows.filter(({ state }) => state === 'queued' || state === 'running');
    const bad = rows.find(({ state }) => state === 'failed' || state === 'partial');
    if (bad !== undefined) throw new Error(`a run is ${bad.state}: ${bad.error}`);
    if (open.length === 0) {
      const few = rows.find(({ seen }) => Number(seen) !== fleet.products);
      if (few !== undefined) throw new Error(`a run saw ${few.seen} products`);
      const from = Math.min(...rows.map(({ started }) => started));
      const to = Math.max(...rows.map(({ finished }) => finished));
      return { seconds: (to - from) / 1000, runs: rows.map(({ started, finished }) => finished - started) };
    }
    await sleep(200);
  }
}

async function transactions(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()`,
  );
  return Number(rows[0]?.count ?? 0);
}

async function connections(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'store-sync%'`,
  );
  return Number(rows[0]?.count ?? 0);
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Work 11: unchanged full runs of 10, 100 and 1,000 stores of one workspace, with the same products in total. */
export async function benchManyStores(
  sizes: readonly number[],
  total: number,
  log: Log,
  take: Take,
): Promise<void> {
  const sides = await Sides.start();
  try {
    let fewest: Fewest | null = null;
    for (const stores of sizes) {
      const measured = await manyStores(sides, fleetOf(stores, total), fewest, log);
      fewest ??= measured.fewest;
      take(...measured.figures);
    }
  } finally {
    await sides.stop();
  }
}

/** The figures of the smallest number of stores, with which the others are compared. */
interface Fewest {
  readonly stores: number;
  readonly cpuPerProduct: number;
  readonly peakBytes: number;
}

async function manyStores(
  sides: Sides,
  fleet: Fleet,
  fewest: Fewest | null,
  log: Log,
): Promise<{ readonly fewest: Fewest; readonly figures: readonly Figure[] }> {
  const { shops, products } = fleet;
  const file = await writeExportFile(join(runDirectory(), 'fleet.jsonl'), products);
  await sides.order({ file, listedOf: [{ shops, products }] });
  const world = await openFleet(sides, [fleet]);
  try {
    const began = performance.now();
    const daemon = await world.start();
    const startSeconds = (performance.now() - began) / 1000;
    await sides.takeCounts();
    const before = { cpu: await daemon.cpuSeconds(), transactions: await transactions(world.db) };
    await allDue(world.db, fleet);
    const most = { connections: 0 };
    const watch = setInterval(() => {
      void connections(world.db).then((count) => (most.connections = Math.max(most.connections, count)));
    }, 500);
    const { seconds, runs } = await allEnded(world.db, fleet);
    clearInterval(watch);
    const cpu = (await daemon.cpuSeconds()) - before.cpu;
    const perRun = ((await transactions(world.db)) - before.transactions) / shops.length;
    const { catalog } = await sides.takeCounts();
    const pages = Object.values(catalog).reduce((sum, count) => sum + count, 0);
    const answers = {
      status: await daemon.answerMs('/api/v1/status'),
      metrics: await daemon.answerMs('/metrics'),
      overview: await daemon.pageMs('/'),
    };
    const peak = await daemon.peakBytes();
    await daemon.stop();
    const part = Math.max(1, Math.floor(runs.length / 10));
    // Of few stores most wait for the listing, and the first tenth always does.
    const isComparable = runs.length >= FEWEST_COMPARED;
    const [early, last] = [median(runs.slice(part, 2 * part)), median(runs.slice(-part))];
    log(
      `many stores: ${String(shops.length)} × ${String(products)} in ${seconds.toFixed(1)} s, CPU ${cpu.toFixed(1)} s, ${String(pages)} pages`,
    );
    const name = `${String(shops.length)} stores × ${String(products)} products, unchanged`;
    const figure = (
      row: string,
      work: string,
      rest: Partial<Figure> & Pick<Figure, 'figure' | 'unit'>,
    ): Figure => ({
      ...{ row, work: `${name}: ${work}`, floor: null, floorIs: '', goal: '–', reached: null },
      ...rest,
    });
    const cpuPerProduct = (cpu / (shops.length * products)) * 1e6;
    const listingPages = Math.ceil((shops.length * products) / LISTING_PAGE) + 2;
    const perStore =
      fewest === null || fewest.stores === shops.length
        ? null
        : (peak - fewest.peakBytes) / 1000 / (shops.length - fewest.stores);
    return {
      fewest: { stores: shops.length, cpuPerProduct, peakBytes: peak },
      figures: [
        figure('11', 'time', { figure: seconds, unit: 's' }),
        figure('11b', 'processor time per product', {
          figure: cpuPerProduct,
          unit: 'µs',
          floor: fewest?.cpuPerProduct ?? null,
          floorIs: 'fewest stores',
        }),
        figure('11c', 'median run of the last tenth', {
          ...{ figure: last, unit: 'ms', floor: isComparable ? early : null, floorIs: 'of the second tenth' },
          ...{ goal: 'within 20 %', reached: isComparable ? last <= early * 1.2 : null },
        }),
        figure('11d', 'peak memory', {
          ...{ figure: peak / MEGABYTE, unit: 'MB', goal: 'at most 400 MB', reached: peak <= 400 * MEGABYTE },
        }),
        figure('11e', 'transactions per run', { figure: perRun, unit: '' }),
        figure('11f', 'requests to the catalog', {
          ...{
            figure: pages,
            unit: '',
            goal: `one listing, ${String(listingPages)}`,
            reached: pages <= listingPages,
          },
        }),
        figure('11g', 'database connections', {
          ...{ figure: most.connections, unit: '', goal: 'at most 24', reached: most.connections <= 24 },
        }),
        figure('11h', 'status', {
          ...{ figure: answers.status, unit: 'ms', goal: 'at most 500 ms', reached: answers.status <= 500 },
        }),
        figure('11i', 'metrics', {
          ...{ figure: answers.metrics, unit: 'ms', goal: 'at most 500 ms', reached: answers.metrics <= 500 },
        }),
        figure('11j', 'overview', {
          ...{
            figure: answers.overview,
            unit: 'ms',
            goal: 'at most 500 ms',
            reached: answers.overview <= 500,
          },
        }),
        figure('11k', 'start until ready', {
          ...{ figure: startSeconds, unit: 's', goal: 'at most 10 s', reached: startSeconds <= 10 },
        }),
        ...(perStore === null
          ? []
          : [
              figure('11l', 'peak memory of each further store', {
                ...{ figure: perStore, unit: 'KB', goal: 'at most 100 KB', reached: perStore <= 100 },
              }),
            ]),
      ],
    };
  } finally {
    await world.close();
    await rm(file.path);
  }
}

/** Work 12: full runs of many stores that answer slowly, by one, two and four daemons with queues in Redis. */
export async function benchReplicaRuns(stores: number, log: Log, take: Take): Promise<void> {
  const sides = await Sides.start();
  const fleet = fleetOf(stores, stores * 20);
  const file = await writeExportFile(join(runDirectory(), 'fleet-slow.jsonl'), fleet.products);
  try {
    await sides.order({ file, listedOf: [fleet], storeMs: STORE_MS });
    const secondsOf = async (replicas: number): Promise<number> => {
      const redis = await startTestRedis();
      const world = await openFleet(sides, [fleet], redis.url);
      try {
        const daemons: readonly BenchDaemon[] = await Promise.all(
          Array.from({ length: replicas }, () => world.start()),
        );
        await allDue(world.db, fleet);
        const { seconds } = await allEnded(world.db, fleet);
        await Promise.all(daemons.map((daemon) => daemon.stop()));
        log(`runs by replicas: ${String(replicas)} took ${seconds.toFixed(2)} s`);
        return seconds;
      } finally {
        await world.close();
        await redis.stop();
      }
    };
    const one = await secondsOf(1);
    for (const { replicas, goal } of [
      { replicas: 2, goal: 1.8 },
      { replicas: 4, goal: 3.2 },
    ]) {
      const gain = one / (await secondsOf(replicas));
      take({
        row: '12',
        work: `${String(stores)} full runs, the store answering in ${String(STORE_MS)} ms, ${String(replicas)} replicas: times as fast`,
        ...{ figure: gain, unit: '×', floor: 1, floorIs: 'one replica' },
        ...{ goal: `at least ${String(goal)} ×`, reached: gain >= goal },
      });
    }
  } finally {
    await sides.stop();
    await rm(file.path);
  }
}
