import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile, type ExportFile } from './export-files.js';
import { atMost, MEGABYTE, nearFloor, type Figure } from './figure.js';
import { seedLinks } from './seed.js';
import { CATALOG_MS, LISTING_PAGE, REQUESTS_PER_SECOND, Sides } from './sides.js';
import { BenchWorld } from './world.js';

type Take = (...figures: readonly Figure[]) => void;
const SHOP = 'large.myshopify.com';

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

/** Full runs over 100,000 products × 3 variants: nothing changed, then one product in a hundred. */
export async function benchFullRuns(share: number, take: Take): Promise<void> {
  const products = Math.round(100_000 * share);
  const changed = Math.round(products / 100);
  const { sides, world, file } = await oneStore(products);
  const changedFile = await writeExportFile(join(runDirectory(), 'changed.jsonl'), products, changed);
  try {
    await seedLinks(world.db, { store: 'large', shop: SHOP }, products);
    await world.db.query('VACUUM ANALYZE');
    const daemon = await world.start();
    await sides.order({ file, catalogMs: CATALOG_MS, listed: [{ shops: [SHOP], products }] });
    const unchanged = await daemon.fullRun('large');
    const waited = (await sides.takeCounts()).catalogSeconds;
    const what = `full run of ${products.toLocaleString('en-US')} × 3`;
    take(
      atMost(
        `${what}, nothing changed: own time beside ${waited.toFixed(0)} s of answers`,
        Math.max(0, unchanged.seconds - waited),
        's',
        30,
      ),
    );
    await sides.order({ file: changedFile });
    const run = await daemon.fullRun('large');
    const { catalog, writes } = await sides.takeCounts();
    if (writes !== changed) throw new Error(`${String(writes)} writes for ${String(changed)} changes`);
    const pages = Math.ceil(products / LISTING_PAGE);
    // Pages come one after the other, each after the answer that names it. Every other request waits for the limit alone.
    const others = Object.values(catalog).reduce((sum, count) => sum + count, 0) - pages;
    const floor = (pages * CATALOG_MS) / 1000 + others / REQUESTS_PER_SECOND;
    take(
      nearFloor(`${what}, ${String(changed)} changed`, run.seconds, floor),
      atMost('peak memory of the daemon in both', (await daemon.peakBytes()) / MEGABYTE, 'MB', 400),
    );
    await daemon.stop();
  } finally {
    await Promise.all([file, changedFile].map(({ path }) => rm(path)));
    await sides.stop();
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
