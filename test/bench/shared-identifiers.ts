import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { CATALOG_MS, MEGABYTE, middleOf } from './full-run.js';
import type { Log } from './run-benches.js';
import { seedLinks } from './seed.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { type BenchDaemon, BenchWorld } from './world.js';

const [STORE, OTHER] = ['first', 'second'];
const GOAL_MS = 1;
/** An odd number, as `middleOf` asks. */
const ROUNDS = 5;

/** Work 17: full runs over a store of which another store of the workspace has all identifiers, so that neither may send them. */
export async function benchSharedIdentifiers(products: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const shopOf = (store: string): string => `${store}.myshopify.com`;
  const stores = [STORE, OTHER].map((store) => [store, { shop: shopOf(store), url: sides.storeUrl }]);
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: Object.fromEntries(stores) as Record<string, { shop: string; url: string }>,
  });
  try {
    await seedLinks(world.db, { store: STORE, shop: shopOf(STORE) }, products);
    await seedLinks(world.db, { store: OTHER, shop: shopOf(OTHER) }, products, products + 1);
    await world.db.query('VACUUM ANALYZE');
    const file = await writeExportFile(join(runDirectory(), 'shared.jsonl'), products, products);
    const listedOf = [{ shops: [shopOf(STORE), shopOf(OTHER)], products }];
    await sides.order({ file, catalogMs: CATALOG_MS, listedOf });
    const daemon = await world.start();
    // Every product has changed: the run notices that their identifiers are shared.
    const noticed = await conflictedRun(daemon, products);
    const taken: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) taken.push(await conflictedRun(daemon, products));
    const peak = await daemon.peakBytes();
    await daemon.stop();
    await rm(file.path);
    const seconds = middleOf(taken);
    log(`shared identifiers: noticed in ${noticed.toFixed(1)} s, nothing changed in ${seconds.toFixed(1)} s`);
    const common = { row: '17', floor: null, floorIs: '' };
    return [
      {
        ...common,
        work: `full run of ${String(products)} products whose identifiers another store has too, nothing changed: each product`,
        figure: (seconds * 1000) / products,
        unit: 'ms',
        goal: `at most ${String(GOAL_MS)} ms`,
        reached: (seconds * 1000) / products <= GOAL_MS,
      },
      {
        ...common,
        work: 'peak memory of the daemon in that',
        figure: peak / MEGABYTE,
        unit: 'MB',
        goal: '–',
        reached: null,
      },
    ];
  } finally {
    await sides.stop();
    await world.close();
  }
}

async function conflictedRun(daemon: BenchDaemon, products: number): Promise<number> {
  const { seconds, run } = await daemon.fullRun(STORE);
  if (run.counts['conflicted'] !== products)
    throw new Error(`conflicted ${String(run.counts['conflicted'])}, of ${String(products)}`);
  return seconds;
}
