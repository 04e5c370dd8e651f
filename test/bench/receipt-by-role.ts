import { join } from 'node:path';
import { imageEnvironment } from '../support/image-environment.js';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { CATALOG_MS, CONCURRENCY } from './full-run.js';
import { load, P99_MS, startLoad, STEADY_PER_SECOND } from './receipt.js';
import type { Log } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

const SHOP = 'loaded.myshopify.com';
const BYTES_PER_MB = 1024 * 1024;
const MEMORY_MB = 120;
/** The share of the shortest possible load during which deliveries come, so that they end before it. */
const SHARE_OF_LOAD = 0.8;

/** Work 15: a process that only receives, beside one that loads the first products of a store. Both use the same database. */
export async function benchReceiptByRole(products: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { loaded: { shop: SHOP, url: sides.storeUrl } },
  });
  try {
    const file = await writeExportFile(join(runDirectory(), 'loaded.jsonl'), products);
    await sides.order({ file, catalogMs: CATALOG_MS });
    // Roles are processes of their own in containers. `npm start` runs without these variables.
    const receiver = await world.start('receive', imageEnvironment());
    const worker = await world.start('work,admin');
    const url = `${receiver.url}/webhooks/catalog/default`;
    await load(url, world.webhookSecret, 1_000_000, 2, STEADY_PER_SECOND);
    const seconds = (SHARE_OF_LOAD * products * CATALOG_MS) / 1000 / CONCURRENCY;
    const deliveries = startLoad(url, world.webhookSecret, 2_000_000, seconds, STEADY_PER_SECOND);
    await deliveries.measuring;
    const [taken, { run }] = await Promise.all([deliveries.result(), worker.fullRun('loaded')]);
    const memory = (await receiver.peakBytes()) / BYTES_PER_MB;
    await receiver.stop();
    await worker.stop();
    if (run.counts['created'] !== products) throw new Error(`created ${String(run.counts['created'])}`);
    log(`receipt by role: ${JSON.stringify({ taken, memory, run })}`);
    return [
      {
        row: '16',
        work: `p99 of a receiving process at ${String(STEADY_PER_SECOND)} a second, beside one that loads ${String(products)} products`,
        figure: taken.p99,
        unit: 'ms',
        floor: taken.p50,
        floorIs: 'p50 of the same',
        goal: `at most ${String(P99_MS)} ms`,
        reached: taken.p99 <= P99_MS,
      },
      {
        row: '16b',
        work: 'peak memory of the receiving process, with the allocator as the image sets it',
        figure: memory,
        unit: 'MB',
        floor: null,
        floorIs: '',
        goal: `at most ${String(MEMORY_MB)} MB`,
        reached: memory <= MEMORY_MB,
      },
    ];
  } finally {
    await sides.stop();
    await world.close();
  }
}
