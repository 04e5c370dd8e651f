import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runDirectory } from '../support/run-directory.js';
import { writeExportFile } from './export-files.js';
import { besideFloor, MEGABYTE, run } from './full-run.js';
import type { Log } from './run-benches.js';
import { seedLinks } from './seed.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

export const ATTRIBUTES = 30;

/** Work 13: full runs over a store whose products have many attributes, all of them passed on, and none changed. */
export async function benchAttributes(products: number, log: Log): Promise<Figure[]> {
  const [store, shop] = ['attributes', 'attributes.myshopify.com'];
  const mapping = { openAttributes: ['specs.*'] };
  const sides = await Sides.start();
  const world = await BenchWorld.open({
    catalogUrl: sides.catalogUrl,
    stores: { [store]: { shop, url: sides.storeUrl, mapping } },
  });
  try {
    const file = await writeExportFile(join(runDirectory(), 'attributes.jsonl'), products, 0, {
      attributes: ATTRIBUTES,
    });
    await seedLinks(world.db, { store, shop, mapping, attributes: ATTRIBUTES }, products);
    await world.db.query('VACUUM ANALYZE');
    log('attributes: seeded');
    const daemon = await world.start();
    const parsed = await run(daemon, sides, store, file);
    await sides.takeCounts();
    const { seconds, floor } = await besideFloor(file, () => run(daemon, sides, store, file));
    const { catalog } = await sides.takeCounts();
    const writes = Object.keys(catalog).filter((what) => !what.startsWith('GET') && what.includes('/'));
    const peak = await daemon.peakBytes();
    await daemon.stop();
    await rm(file.path);
    const what = `${String(products)} products with ${String(ATTRIBUTES)} attributes each`;
    const common = { row: '13', floorIs: 'read, parse, group, hash', unit: 's' };
    return [
      {
        ...common,
        work: `full run of ${what}, nothing changed`,
        figure: seconds,
        floor,
        goal: 'at most 2.0 ×',
        reached: seconds <= 2 * floor && writes.length === 0,
      },
      {
        ...common,
        work: 'the same where every line has to be parsed',
        figure: parsed,
        floor,
        goal: '–',
        reached: null,
      },
      {
        ...common,
        work: 'peak memory of the daemon in both',
        figure: peak / MEGABYTE,
        unit: 'MB',
        floor: null,
        floorIs: '',
        goal: 'at most 256 MB',
        reached: peak <= 256 * MEGABYTE,
      },
    ];
  } finally {
    await sides.stop();
    await world.close();
  }
}
