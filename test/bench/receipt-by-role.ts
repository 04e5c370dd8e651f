import { join } from 'node:path';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { CATALOG_MS, CONCURRENCY } from './full-run.js';
import { load, P99_MS, startFloor, startLoad, STEADY_PER_SECOND } from './receipt.js';
import type { Log } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld, type BenchDaemon } from './world.js';

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
    /** From the load's first moment. The load may go on when the deliveries have ended. */
    const received = async (url: string, { webhookSecret }: BenchWorld, worker: BenchDaemon) => {
      await load(url, webhookSecret, 1_000_000, 2, STEADY_PER_SECOND);
      const deliveries = startLoad(url, webhookSecret, 2_000_000, seconds, STEADY_PER_SECOND);
      await deliveries.measuring;
      const loading = worker.fullRun('loaded');
      // It is awaited later, or not at all.
      loading.catch(() => undefined);
      return { taken: await deliveries.result(), loading };
    };

    const bare = await besideLoad(async (world, worker) => {
      const server = await startFloor(world);
      try {
        return (await received(server.url, world, worker)).taken;
      } finally {
        await server.stop();
      }
    });
    const { taken, run, memory } = await besideLoad(async (world, worker) => {
      const receiver = await world.start('receive');
      try {
        const result = await received(`${receiver.url}/webhooks/catalog/default`, world, worker);
        const ended = await result.loading;
        return { ...result, ...ended, memory: (await receiver.peakBytes()) / BYTES_PER_MB };
      } finally {
        await receiver.stop();
      }
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
