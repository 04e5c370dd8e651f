import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile, type ExportFile } from './products.js';
import { atMost, MEGABYTE, nearFloor, type Take } from './figure.js';
import { seedLinks } from './seed.js';
import { CATALOG_MS, LISTING_PAGE, REQUESTS_PER_SECOND, Sides } from './sides.js';
import { BenchWorld } from './world.js';

const SHOP = 'large.myshopify.com';
const SMALL_SHOP = 'small.myshopify.com';
const SMALL_PRODUCTS = 100;

/** A world of one store, and its export. */
async function oneStore(products: number): Promise<{ sides: Sides; world: BenchWorld; file: ExportFile }> {
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { large: { shop: SHOP, url: sides.storeUrl } },
  });
  const file = await writeExportFile(join(runDirectory(), 'large.jsonl'), products);
  return { sides, world, file };
}

/**
 * Full runs over 100,000 products × 3 variants: with one product in a hundred changed, while a store of 100 products in the same workspace
 * is due too; then with nothing changed.
 */
export async function benchFullRuns(share: number, take: Take): Promise<void> {
  const products = Math.round(100_000 * share);
  const changed = Math.round(products / 100);
  const [sides, smallSides] = [await Sides.start(), await Sides.start()];
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: {
      large: { shop: SHOP, url: sides.storeUrl },
      small: { shop: SMALL_SHOP, url: smallSides.storeUrl },
    },
  });
  const file = await writeExportFile(join(runDirectory(), 'changed.jsonl'), products, changed);
  const smallFile = await writeExportFile(join(runDirectory(), 'small.jsonl'), SMALL_PRODUCTS);
  const listed = [
    { shops: [SHOP], products },
    { shops: [SMALL_SHOP], products: SMALL_PRODUCTS },
  ];
  const pages = Math.ceil((products + SMALL_PRODUCTS) / LISTING_PAGE);
  const what = `full run of ${products.toLocaleString('en-US')} × 3`;
  try {
    await seedLinks(world.db, { store: 'large', shop: SHOP }, products);
    await seedLinks(world.db, { store: 'small', shop: SMALL_SHOP }, SMALL_PRODUCTS, products + 1);
    await world.db.query('VACUUM ANALYZE');
    const daemon = await world.start();
    await sides.order({ file, catalogMs: CATALOG_MS, listed });
    await smallSides.order({ file: smallFile });
    const large = daemon.fullRun('large');
    await sleep(2_000);
    // It looks its own products up, and waits neither for the listing nor for the large store’s changes.
    await world.due(['small']);
    const { seconds } = await large;
    const small = (await world.allEnded()).get('small') ?? 0;
    const { catalog, writes } = await sides.takeCounts();
    if (writes !== changed) throw new Error(`${String(writes)} writes for ${String(changed)} changes`);
    // Pages come one after the other, each after the answer that names it. Every other request waits for the limit alone.
    const others = Object.values(catalog).reduce((sum, count) => sum + count, 0) - pages;
    const floor = (pages * CATALOG_MS) / 1000 + others / REQUESTS_PER_SECOND;
    take(
      nearFloor(`${what}, ${String(changed)} changed`, seconds, floor),
      atMost(`a store of 100 due beside it, from due to ended`, small, 's', 60),
    );
    const unchanged = await daemon.fullRun('large');
    const waited = (await sides.takeCounts()).catalogSeconds;
    take(
      atMost(
        `${what}, nothing changed: own time beside ${waited.toFixed(0)} s of answers`,
        Math.max(0, unchanged.seconds - waited),
        's',
        30,
      ),
      atMost('peak memory of the daemon in both', (await daemon.peakBytes()) / MEGABYTE, 'MB', 400),
    );
    await daemon.stop();
  } finally {
    await Promise.all([file, smallFile].map(({ path }) => rm(path)));
    await Promise.all([sides.stop(), smallSides.stop()]);
    await world.close();
  }
}

/** A store that the catalog has never seen. */
export async function benchFirstLoad(share: number, take: Take): Promise<void> {
  const products = Math.round(2_000 * share);
  const { sides, world, file } = await oneStore(products);
  try {
    await sides.order({ file, catalogMs: CATALOG_MS });
    const daemon = await world.start();
    const { seconds, run } = await daemon.fullRun('large');
    await daemon.stop();
    if (run.counts.created !== products) throw new Error(`created ${String(run.counts.created)}`);
    const { catalog } = await sides.takeCounts();
    const requests = Object.values(catalog).reduce((sum, count) => sum + count, 0);
    take(
      nearFloor(
        `first load of ${products.toLocaleString('en-US')} (${(requests / products).toFixed(1)} requests each)`,
        seconds,
        requests / REQUESTS_PER_SECOND,
      ),
    );
  } finally {
    await rm(file.path);
    await sides.stop();
    await world.close();
  }
}

/** `plan` over a million products: memory that does not grow with the store beyond ids. */
export async function benchMillion(share: number, take: Take): Promise<void> {
  const products = Math.round(1_000_000 * share);
  const { sides, world, file } = await oneStore(products);
  try {
    await seedLinks(world.db, { store: 'large', shop: SHOP }, products);
    await world.db.query('VACUUM ANALYZE');
    await sides.order({ file, listed: [{ shops: [SHOP], products }] });
    const began = performance.now();
    const { status, stderr, peakBytes } = await world.command('plan', '--full');
    if (status !== 0) throw new Error(`plan ended with ${String(status)}: ${stderr}`);
    take(
      atMost(
        `peak memory of plan of ${products.toLocaleString('en-US')}, ${((performance.now() - began) / 1000).toFixed(0)} s`,
        peakBytes / MEGABYTE,
        'MB',
        400,
      ),
    );
  } finally {
    await rm(file.path);
    await sides.stop();
    await world.close();
  }
}
