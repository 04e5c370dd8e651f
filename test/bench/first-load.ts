import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { CATALOG_MS, CONCURRENCY } from './full-run.js';
import type { Log } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

/** Work 5: a store that the catalog has never seen. */
export async function benchFirstLoad(products: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { first: { shop: 'first.myshopify.com', url: sides.storeUrl } },
  });
  try {
    const file = await writeExportFile(join(runDirectory(), 'first.jsonl'), products);
    await sides.order({ file, catalogMs: CATALOG_MS });
    const daemon = await world.start();
    const { seconds, run } = await daemon.fullRun('first');
    await daemon.stop();
    await rm(file.path);
    if (run.counts['created'] !== products) throw new Error(`created ${String(run.counts['created'])}`);
    const { catalog } = await sides.takeCounts();
    log(`first load: ${seconds.toFixed(1)} s, ${JSON.stringify(catalog)}`);
    const floor = (products * CATALOG_MS) / 1000 / CONCURRENCY;
    return [
      {
        row: '5',
        work: `first load of ${String(products)} products, the catalog answering in ${String(CATALOG_MS)} ms`,
        figure: seconds,
        unit: 's',
        floor,
        floorIs: `${String(products)} × ${String(CATALOG_MS)} ms ÷ ${String(CONCURRENCY)}`,
        goal: 'at most 1.15 ×',
        reached: seconds <= 1.15 * floor,
      },
    ];
  } finally {
    await sides.stop();
    await world.close();
  }
}
