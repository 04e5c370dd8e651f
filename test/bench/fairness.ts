import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runDirectory } from '../support/run-directory.js';
import { until } from '../support/until.js';
import { writeExportFile } from './export-files.js';
import { CATALOG_MS } from './full-run.js';
import { fleetOf, keyOf, median, openFleet, type Fleet } from './many-stores.js';
import type { Log, Take } from './run-benches.js';
import { Sides } from './sides.js';
import type { BenchDaemon, BenchWorld } from './world.js';

const LARGE_SHOP = 'large.myshopify.com';
const SMALL_STORES = 40;
const SMALL_PRODUCTS = 100;
/** Two workers may take runs at once; the one that was due earlier then begins later by the time of a statement. */
const AT_ONCE_MS = 100;
/** The time between two small stores that become due. */
const EVERY_MS = 500;

interface SmallRuns {
  /** Milliseconds from due to begun, and from begun to ended, in the order in which the runs became due. */
  readonly waits: readonly number[];
  readonly taken: readonly number[];
  /** The same, of the runs that did not wait for the catalog's listing. */
  readonly own: readonly number[];
  /** Runs before which one began that was due later. */
  readonly outOfOrder: number;
  /** Runs that began while the large store's run was going on. */
  readonly beside: number;
}

/**
 * Work 14: small stores that become due one after the other while the run of a large store goes on, of which one product in ten changed.
 */
export async function benchFairness(largeProducts: number, log: Log, take: Take): Promise<void> {
  const sides = await Sides.start();
  const smallSides = await Sides.start();
  const small = fleetOf(SMALL_STORES, SMALL_STORES * SMALL_PRODUCTS);
  const large: Fleet = { shops: [LARGE_SHOP], products: largeProducts };
  const changed = Math.round(largeProducts / 10);
  const files = await Promise.all([
    writeExportFile(join(runDirectory(), 'fair-large.jsonl'), largeProducts, changed),
    writeExportFile(join(runDirectory(), 'fair-small.jsonl'), SMALL_PRODUCTS),
  ]);
  try {
    await sides.order({ file: files[0], catalogMs: CATALOG_MS, listedOf: [large, small] });
    await smallSides.order({ file: files[1] });
    const world = await openFleet(sides, [large, { ...small, storeUrl: smallSides.storeUrl }]);
    const daemon = await world.start();
    try {
      const runs = await runBeside(world, daemon, small);
      const [wait, own] = [median(runs.waits), median(runs.own)];
      const whole = median(runs.waits.map((waited, index) => waited + (runs.taken[index] ?? 0)));
      log(`fairness: ${JSON.stringify({ ...runs, wait, own, whole })}`);
      const work = `${String(SMALL_STORES)} stores × ${String(SMALL_PRODUCTS)} beside one of ${String(largeProducts)}`;
      take(
        {
          ...{ row: '14', work: `${work}: median wait of a run that is due`, figure: wait, unit: 'ms' },
          ...{ floor: own, floorIs: 'median time of such a run that found the listing' },
          ...{ goal: 'at most 2.0 ×', reached: wait <= 2 * own },
        },
        {
          ...{ row: '14b', work: `${work}: runs that began before one due earlier`, figure: runs.outOfOrder },
          ...{ unit: '', floor: null, floorIs: '', goal: 'none', reached: runs.outOfOrder === 0 },
        },
        {
          ...{
            row: '14c',
            work: `${work}: of them begun beside the large run`,
            figure: runs.beside,
            unit: '',
          },
          ...{ floor: null, floorIs: '', goal: '–', reached: null },
        },
        {
          ...{ row: '14d', work: `${work}: median time from due to ended`, figure: whole, unit: 'ms' },
          ...{ floor: null, floorIs: '', goal: '–', reached: null },
        },
      );
    } finally {
      await daemon.stop();
      await world.close();
    }
  } finally {
    await sides.stop();
    await smallSides.stop();
    for (const { path } of files) await rm(path);
  }
}

async function runBeside(world: BenchWorld, daemon: BenchDaemon, small: Fleet): Promise<SmallRuns> {
  const largeRun = daemon.dueRun(world.db, keyOf(LARGE_SHOP));
  await until('the large run goes on', async () => {
    const { rows } = await world.db.query(`SELECT 1 FROM sync_run WHERE state = 'running'`);
    return rows.length > 0;
  });
  const smallRuns = [];
  for (const shop of small.shops) {
    smallRuns.push(daemon.dueRun(world.db, keyOf(shop)));
    await sleep(EVERY_MS);
  }
  await Promise.all([largeRun, ...smallRuns]);
  return smallRunsOf(world.db);
}

async function smallRunsOf(db: pg.Pool): Promise<SmallRuns> {
  const { rows } = await db.query<
    Readonly<Record<'due' | 'began' | 'ended' | 'attempts' | 'large_ended', number>>
  >(
    `SELECT extract(epoch FROM created_at)::float8 * 1000 AS due, extract(epoch FROM started_at)::float8 * 1000 AS began,
       extract(epoch FROM finished_at)::float8 * 1000 AS ended,
       (SELECT count(*)::int FROM jsonb_array_elements(phases) AS step WHERE step->>'step' = 'plan') AS attempts,
       (SELECT extract(epoch FROM finished_at)::float8 * 1000 FROM sync_run WHERE store = $1) AS large_ended
     FROM sync_run WHERE store <> $1 ORDER BY created_at`,
    [keyOf(LARGE_SHOP)],
  );
  return {
    waits: rows.map(({ due, began }) => began - due),
    taken: rows.map(({ began, ended }) => ended - began),
    // A run that waited for the listing planned twice.
    own: rows.filter(({ attempts }) => attempts === 1).map(({ began, ended }) => ended - began),
    outOfOrder: rows.filter(({ began }, index) =>
      rows.slice(index + 1).some((later) => later.began < began - AT_ONCE_MS),
    ).length,
    beside: rows.filter(({ began, large_ended: end }) => began < end).length,
  };
}
