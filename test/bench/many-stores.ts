import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { atMost, MEGABYTE, type Figure } from './figure.js';
import { seedLinks } from './seed.js';
import { CATALOG_MS, Sides } from './sides.js';
import { BenchWorld } from './world.js';

type Take = (...figures: readonly Figure[]) => void;

/** Stores with the same number of products each. */
interface Fleet {
  readonly shops: readonly string[];
  readonly products: number;
  readonly storeUrl: string;
}

const keyOf = (shop: string): string => shop.replace('.myshopify.com', '');
const fleetOf = (name: string, stores: number, products: number, storeUrl: string): Fleet => ({
  shops: Array.from({ length: stores }, (_, index) => `${name}-${String(index)}.myshopify.com`),
  products,
  storeUrl,
});

/** A world in which each product of the fleets has a link, with the catalog's ids in the order of the fleets. */
async function openFleets(sides: Sides, fleets: readonly Fleet[]): Promise<BenchWorld> {
  const stores = fleets.flatMap(({ shops, products, storeUrl }) =>
    shops.map((shop) => ({ shop, products, url: storeUrl })),
  );
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: Object.fromEntries(stores.map(({ shop, url }) => [keyOf(shop), { shop, url }])),
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
async function allDue(db: pg.Pool, fleets: readonly Fleet[]): Promise<void> {
  await db.query(
    `INSERT INTO sync_run (store, workspace, kind, trigger) SELECT unnest($1::text[]), 'default', 'full', 'schedule'`,
    [fleets.flatMap(({ shops }) => shops.map(keyOf))],
  );
}

interface EndedRun {
  readonly store: string;
  /** From due to ended. */
  readonly seconds: number;
}

async function allEnded(db: pg.Pool): Promise<readonly EndedRun[]> {
  for (;;) {
    const { rows } = await db.query<EndedRun & { state: string; error: string }>(
      `SELECT store, state, coalesce(error, '') AS error, extract(epoch FROM finished_at - created_at)::float8 AS seconds FROM sync_run`,
    );
    const bad = rows.find(({ state }) => state === 'failed' || state === 'partial');
    if (bad !== undefined) throw new Error(`the run of ${bad.store} is ${bad.state}: ${bad.error}`);
    if (rows.every(({ state }) => state === 'succeeded')) return rows;
    await sleep(200);
  }
}

/** 1,000 stores × 100 products due at the same minute; and a small store that is due together with one of 100,000 products. */
export async function benchManyStores(share: number, take: Take): Promise<void> {
  await manyStores(Math.round(1_000 * share), take);
  await besideLarge(Math.round(100_000 * share), take);
}

async function manyStores(stores: number, take: Take): Promise<void> {
  const sides = await Sides.start();
  const fleet = fleetOf('fleet', stores, 100, sides.storeUrl);
  const file = await writeExportFile(join(runDirectory(), 'fleet.jsonl'), fleet.products);
  await sides.order({ file, catalogMs: CATALOG_MS, listed: [fleet] });
  const world = await openFleets(sides, [fleet]);
  try {
    const daemon = await world.start();
    await allDue(world.db, [fleet]);
    const runs = await allEnded(world.db);
    const last = Math.max(...runs.map(({ seconds }) => seconds));
    take(
      atMost(
        `${stores.toLocaleString('en-US')} stores × 100 due at once, the last ended after ${last.toFixed(0)} s: peak memory`,
        (await daemon.peakBytes()) / MEGABYTE,
        'MB',
        400,
      ),
    );
    await daemon.stop();
  } finally {
    await world.close();
    await sides.stop();
    await rm(file.path);
  }
}

async function besideLarge(products: number, take: Take): Promise<void> {
  const [sides, smallSides] = [await Sides.start(), await Sides.start()];
  const large = fleetOf('large', 1, products, sides.storeUrl);
  const small = fleetOf('small', 1, 100, smallSides.storeUrl);
  const files = [
    await writeExportFile(join(runDirectory(), 'beside-large.jsonl'), products, Math.round(products / 100)),
    await writeExportFile(join(runDirectory(), 'beside-small.jsonl'), small.products),
  ] as const;
  try {
    await sides.order({ file: files[0], catalogMs: CATALOG_MS, listed: [large, small] });
    await smallSides.order({ file: files[1] });
    const world = await openFleets(sides, [large, small]);
    const daemon = await world.start();
    try {
      await allDue(world.db, [large]);
      await sleep(2_000);
      // The listing of the workspace is shared: the small store waits for it too, but not for the large store's changes.
      await allDue(world.db, [small]);
      const runs = await allEnded(world.db);
      const of = ({ shops }: Fleet): number =>
        runs.find(({ store }) => store === keyOf(shops[0] ?? ''))?.seconds ?? 0;
      take(
        atMost(
          `a store of 100 due beside one of ${products.toLocaleString('en-US')} (${of(large).toFixed(0)} s), from due to ended`,
          of(small),
          's',
          60,
        ),
      );
    } finally {
      await daemon.stop();
      await world.close();
    }
  } finally {
    for (const { path } of files) await rm(path);
    await smallSides.stop();
    await sides.stop();
  }
}
