import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './products.js';
import { atMost, MEGABYTE, type Take } from './figure.js';
import { seedLinks } from './seed.js';
import { CATALOG_MS, Sides } from './sides.js';
import { BenchWorld } from './world.js';

const PRODUCTS_EACH = 100;

/** 1,000 stores × 100 products due at the same minute. */
export async function benchManyStores(share: number, take: Take): Promise<void> {
  const stores = Math.round(1_000 * share);
  const keys = Array.from({ length: stores }, (_, index) => `fleet-${String(index)}`);
  const shops = keys.map((key) => `${key}.myshopify.com`);
  const sides = await Sides.start();
  const file = await writeExportFile(join(runDirectory(), 'fleet.jsonl'), PRODUCTS_EACH);
  await sides.order({ file, catalogMs: CATALOG_MS, listed: [{ shops, products: PRODUCTS_EACH }] });
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: Object.fromEntries(
      keys.map((key, index) => [key, { shop: shops[index] ?? '', url: sides.storeUrl }]),
    ),
  });
  try {
    // Two at a time: one is planned while the rows of the other are inserted.
    const waiting = keys.entries();
    const seedNext = async (): Promise<void> => {
      for (const [index, store] of waiting)
        await seedLinks(
          world.db,
          { store, shop: shops[index] ?? '' },
          PRODUCTS_EACH,
          index * PRODUCTS_EACH + 1,
        );
    };
    await Promise.all([seedNext(), seedNext()]);
    await world.db.query('VACUUM ANALYZE');
    const daemon = await world.start();
    await world.due(keys);
    const ended = await world.allEnded();
    const last = Math.max(...ended.values());
    take(
      atMost(
        `${stores.toLocaleString('en-US')} stores × 100 due at once, the last ended after ${last.toFixed(0)} s: peak memory`,
        (await daemon.peakBytes()) / MEGABYTE,
        'MB',
        400,
      ),
    );
    await daemon.stop();
  } finally {
    await world.close();
    await sides.stop();
    await rm(file.path);
  }
}
