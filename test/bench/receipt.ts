import { fileURLToPath } from 'node:url';
import { startChild } from '../support/child.js';
import type { Log } from './run-benches.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

const LOAD = fileURLToPath(new URL('load-main.ts', import.meta.url));
const FLOOR = fileURLToPath(new URL('receipt-floor-main.ts', import.meta.url));
const SHOP = 'receipt.myshopify.com';
const CONNECTIONS = 32;
export const STEADY_PER_SECOND = 500;
export const P99_MS = 25;

interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly next: number;
}

interface Load {
  /** Resolves when the sending process is warm: the seconds that are measured begin. */
  readonly measuring: Promise<void>;
  /** Resolves when it has ended. Rejects unless each delivery got 200. */
  readonly result: () => Promise<LoadResult>;
}

/** Sends deliveries from another process, as fast as they are answered or `rate` a second. */
export function startLoad(url: string, secret: string, first: number, seconds: number, rate?: number): Load {
  const args = [url, secret, SHOP, first, seconds, CONNECTIONS, ...(rate === undefined ? [] : [rate])];
  const child = startChild(LOAD, args.map(String));
  return {
    measuring: child.said('measuring').then(() => undefined),
    result: async () => {
      const result = JSON.parse(await child.said('result ')) as LoadResult;
      await child.exit();
      const refused = Object.keys(result.statuses).filter((status) => status !== '200');
      if (refused.length > 0)
        throw new Error(`not every delivery was taken: ${JSON.stringify(result.statuses)}`);
      return result;
    },
  };
}

/** As `startLoad`, to its end. */
export async function load(...args: Parameters<typeof startLoad>): Promise<LoadResult> {
  const { measuring, result } = startLoad(...args);
  await measuring;
  return result();
}

/** A bare server that checks the same signature and does the same insert on the database of this world. */
export async function startFloor(
  world: BenchWorld,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child = startChild(FLOOR, [world.databaseUrl, world.webhookSecret]);
  return { url: `http://127.0.0.1:${await child.said('up ')}/`, stop: () => child.kill() };
}

/** Work 6: deliveries as they come, each of a generation that failed, so that interpreting them writes nothing to the store. */
export async function benchReceipt(seconds: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { receipt: { shop: SHOP, url: sides.storeUrl } },
  });
  try {
    const floor = await startFloor(world);
    await load(floor.url, world.webhookSecret, 1, 2);
    const bare = await load(floor.url, world.webhookSecret, 1_000_000, seconds);
    const bareSteady = await load(floor.url, world.webhookSecret, 2_000_000, seconds, STEADY_PER_SECOND);
    await floor.stop();
    const daemon = await world.start();
    const url = `${daemon.url}/webhooks/catalog/default`;
    await load(url, world.webhookSecret, 3_000_000, 2);
    const steady = await load(url, world.webhookSecret, 4_000_000, seconds, STEADY_PER_SECOND);
    const full = await load(url, world.webhookSecret, 5_000_000, seconds);
    await daemon.stop();
    log(`receipt: ${JSON.stringify({ bare, bareSteady, full, steady })}`);
    return [
      {
        row: '6',
        work: `deliveries of 4 KB received, ${String(CONNECTIONS)} at a time`,
        figure: full.perSecond,
        unit: '/s',
        floor: bare.perSecond,
        floorIs: 'bare server, same check and insert',
        goal: 'at least 0.6 ×',
        reached: full.perSecond >= 0.6 * bare.perSecond,
      },
      {
        row: '6',
        work: `p99 at ${String(STEADY_PER_SECOND)} a second`,
        figure: steady.p99,
        unit: 'ms',
        floor: bareSteady.p99,
        floorIs: 'the same',
        goal: `at most ${String(P99_MS)} ms`,
        reached: steady.p99 <= P99_MS,
      },
    ];
  } finally {
    await sides.stop();
    await world.close();
  }
}
