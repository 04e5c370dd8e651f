import { join } from 'node:path';
import { imageEnvironment } from '../support/image-environment.js';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { CATALOG_MS, CONCURRENCY } from './full-run.js';
import { load, P99_MS, startFloor, startLoad, STEADY_PER_SECOND } from './receipt.js';
import type { Log } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld, type BenchDaemon, type Run } from './world.js';

const SHOP = 'loaded.myshopify.com';
const BYTES_PER_MB = 1024 * 1024;
const MEMORY_MB = 120;
/** The share of the shortest possible load during which deliveries come, so that they end before it. */
const SHARE_OF_LOAD = 0.8;

/**
 * Work 15: a process that only receives, beside one that loads the first products of a store. Both use the same database. The floor is
 * a bare server in its place, beside the same load.
 */
export async function benchReceiptByRole(products: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  try {
    const file = await writeExportFile(join(runDirectory(), 'loaded.jsonl'), products);
    const seconds = (SHARE_OF_LOAD * products * CATALOG_MS) / 1000 / CONCURRENCY;
    /** With a new database, and all products still to be loaded. */
    const besideLoad = async <T>(
      measure: (world: BenchWorld, worker: BenchDaemon) => Promise<T>,
    ): Promise<T> => {
      await sides.order({ file, catalogMs: CATALOG_MS });
      const world = await BenchWorld.open({
        catalogUrl: sides.catalogUrl,
        stores: { loaded: { shop: SHOP, url: sides.storeUrl } },
      });
      try {
        const worker = await world.start('work,admin');
        try {
          return await measure(world, worker);
        } finally {
          await worker.stop();
        }
      } finally {
        await world.close();
      }
    };
    /** From the load's first moment. */
    const received = async (url: string, { webhookSecret }: BenchWorld, begins: () => void) => {
      await load(url, webhookSecret, 1_000_000, 2, STEADY_PER_SECOND);
      const deliveries = startLoad(url, webhookSecret, 2_000_000, seconds, STEADY_PER_SECOND);
      await deliveries.measuring;
      begins();
      return deliveries.result();
    };

    const bare = await besideLoad(async (world, worker) => {
      const server = await startFloor(world);
      // The load has not ended when the deliveries have, and is left then.
      const result = await received(server.url, world, () => {
        worker.fullRun('loaded').catch(() => undefined);
      });
      await server.stop();
      return result;
    });
    const { taken, run, memory } = await besideLoad(async (world, worker) => {
      // Roles are processes of their own in containers. `npm start` runs without these variables.
      const receiver = await world.start('receive', imageEnvironment());
      const loading = Promise.withResolvers<Run>();
      const result = await received(`${receiver.url}/webhooks/catalog/default`, world, () => {
        worker.fullRun('loaded').then((ended) => {
          loading.resolve(ended.run);
        }, loading.reject);
      });
      const ended = await loading.promise;
      const bytes = await receiver.peakBytes();
      await receiver.stop();
      return { taken: result, run: ended, memory: bytes / BYTES_PER_MB };
    });
    if (run.counts['created'] !== products) throw new Error(`created ${String(run.counts['created'])}`);
    log(`receipt by role: ${JSON.stringify({ bare, taken, memory, run })}`);
    return [
      {
        row: '16',
        work: `p99 of a receiving process at ${String(STEADY_PER_SECOND)} a second, beside one that loads ${String(products)} products`,
        figure: taken.p99,
        unit: 'ms',
        floor: bare.p99,
        floorIs: 'bare server in its place, same check and insert',
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
  }
}
