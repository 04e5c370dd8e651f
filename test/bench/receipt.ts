import { fileURLToPath } from 'node:url';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../support/child.js';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './products.js';
import { atMost, rounded, type Take } from './figure.js';
import { seedLinks } from './seed.js';
import { CATALOG_MS, Sides } from './sides.js';
import { BenchWorld } from './world.js';

const LOAD = fileURLToPath(new URL('load-main.ts', import.meta.url));
const SHOP = 'large.myshopify.com';
const CONNECTIONS = 32;
const STEADY_PER_SECOND = 100;

interface LoadResult {
  readonly perSecond: number;
  readonly p99: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Sends deliveries of 4 KB from another process, as fast as they are answered or `rate` a second. Rejects unless each got 200. */
async function load(
  url: string,
  secret: string,
  first: number,
  { seconds, rate }: { readonly seconds: number; readonly rate?: number },
): Promise<LoadResult> {
  const args = [url, secret, SHOP, first, seconds, CONNECTIONS, ...(rate === undefined ? [] : [rate])];
  const child = startChild(LOAD, args.map(String));
  const result = JSON.parse(await child.said('result ')) as LoadResult;
  await child.exit();
  const refused = Object.keys(result.statuses).filter((status) => status !== '200');
  if (refused.length > 0) throw new Error(`not every delivery was taken: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Products of the run beside which deliveries come: it lasts for several measurements of five seconds. */
const PRODUCTS_BESIDE = 8_000;

/**
 * Deliveries of generations that failed, so that interpreting them writes nothing: at full speed, to a process that only receives and to
 * one of all roles, which interprets them meanwhile; and some beside a full run.
 */
export async function benchReceipt(share: number, take: Take): Promise<void> {
  const products = Math.round(PRODUCTS_BESIDE * share);
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { large: { shop: SHOP, url: sides.storeUrl } },
  });
  const file = await writeExportFile(join(runDirectory(), 'receipt.jsonl'), products);
  try {
    await seedLinks(world.db, { store: 'large', shop: SHOP }, products);
    await sides.order({ file, catalogMs: CATALOG_MS, listed: [{ shops: [SHOP], products }] });
    const fast = async (url: string, first: number): Promise<number> =>
      (await load(url, world.webhookSecret, first, { seconds: Math.ceil(10 * share) })).perSecond;
    const receiver = await world.start({ STORE_SYNC_ROLES: 'receive' });
    const received = await fast(`${receiver.url}/webhooks/catalog/default`, 2_000_000);
    await receiver.stop();
    const forget = () => world.db.query('DELETE FROM webhook_delivery');
    await forget();
    const daemon = await world.start();
    const url = `${daemon.url}/webhooks/catalog/default`;
    take(
      {
        ...{ work: 'deliveries of 4 KB, sustained, by a process that receives', figure: rounded(received) },
        ...{ unit: '/s', goal: '≥ 1,000', reached: received >= 1_000 },
      },
      {
        ...{ work: 'the same by a process of all roles, which interprets meanwhile', unit: '/s' },
        figure: rounded(await fast(url, 3_000_000)),
      },
    );
    await forget();
    const ended = new AbortController();
    const run = daemon.fullRun('large').finally(() => {
      ended.abort();
    });
    const p99: number[] = [];
    const steady = async (): Promise<void> => {
      for (let first = 4_000_000; !ended.signal.aborted; first += 100_000)
        p99.push((await load(url, world.webhookSecret, first, { seconds: 5, rate: STEADY_PER_SECOND })).p99);
    };
    await Promise.all([run, steady()]);
    await daemon.stop();
    take(
      atMost(
        `p99 of a delivery at ${String(STEADY_PER_SECOND)} a second beside a full run, the worst 5 s`,
        Math.max(...p99),
        'ms',
        250,
      ),
    );
  } finally {
    await rm(file.path);
    await sides.stop();
    await world.close();
  }
}
