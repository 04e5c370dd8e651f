import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { storeSchema } from '../../src/config/store-schema.js';
import { markOfRead } from '../../src/planner/plan-product.js';
import { readBasisOf } from '../../src/sites/sites.js';
import { runDirectory } from '../support/run-directory.js';
import { type ExportFile, writeExportFile } from './export-files.js';
import { MEGABYTE } from './full-run.js';
import type { Log } from './run-benches.js';
import { benchProduct } from './seed.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

const BATCH = 10_000;

/** Links with only a read mark, which is enough for unchanged products. Without a catalog id the listing is not asked for them. */
async function seedMarks(db: pg.Pool, store: string, shop: string, count: number): Promise<void> {
  const settings = storeSchema.parse({ workspace: 'default', shop, auth: { accessToken: 'bench' } });
  const basis = readBasisOf(settings);
  for (let from = 1; from <= count; from += BATCH) {
    const ids: string[] = [];
    const marks: (string | null)[] = [];
    for (let id = from; id < Math.min(from + BATCH, count + 1); id++) {
      const product = benchProduct(shop, id);
      ids.push(product.externalId);
      marks.push(markOfRead(product.digest, basis));
    }
    await db.query(
      `WITH linked AS (
         INSERT INTO store_product (external_id, store, workspace, store_id, label, state)
         SELECT id, $1, 'default', id, id, 'linked' FROM unnest($2::text[]) AS row(id) RETURNING external_id, revision
       )
       INSERT INTO read_mark (external_id, store, revision, mark)
       SELECT external_id, $1, revision, mark FROM linked JOIN unnest($2::text[], $3::text[]) AS row(external_id, mark)
         USING (external_id)`,
      [store, ids, marks],
    );
  }
}

/** The last figure of work 10: planning an unchanged store, with a tenth of `products` and with all of them. */
export async function benchMillion(products: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const sizes = { tenth: Math.round(products / 10), hundredth: Math.round(products / 100), whole: products };
  const stores = Object.fromEntries(
    Object.keys(sizes).map((key) => [key, { shop: `${key}.myshopify.com`, url: sides.storeUrl }]),
  );
  const world = await BenchWorld.open({ catalogUrl: sides.catalogUrl, stores });
  try {
    const taken: Record<string, { seconds: number; peakBytes: number }> = {};
    for (const [key, count] of Object.entries(sizes)) {
      const file = await writeExportFile(join(runDirectory(), `${key}.jsonl`), count);
      await seedMarks(world.db, key, `${key}.myshopify.com`, count);
      await world.db.query('VACUUM ANALYZE store_product');
      taken[key] = await planned(world, sides, key, file);
      await rm(file.path);
      log(`million: ${String(count)} planned in ${taken[key].seconds.toFixed(1)} s`);
    }
    const { hundredth, tenth, whole } = taken;
    if (hundredth === undefined || tenth === undefined || whole === undefined)
      throw new Error('not all were planned');
    const cost = (more: typeof whole, less: typeof whole, count: number): number =>
      ((more.seconds - less.seconds) / count) * 1e6;
    const floor = cost(tenth, hundredth, sizes.tenth - sizes.hundredth);
    const figure = cost(whole, tenth, sizes.whole - sizes.tenth);
    return [
      {
        row: '10',
        work: `planning alone of a store of ${String(products)}: each product beyond a tenth of them`,
        figure,
        unit: 'µs',
        floor,
        floorIs: `each of the tenth beyond a hundredth`,
        goal: 'within 15 %',
        reached: figure <= 1.15 * floor,
      },
      {
        row: '10',
        work: 'peak memory of that command',
        figure: whole.peakBytes / MEGABYTE,
        unit: 'MB',
        floor: hundredth.peakBytes / MEGABYTE,
        floorIs: `${String(sizes.hundredth)} products`,
        goal: 'at most 1.25 ×',
        reached: whole.peakBytes <= 1.25 * hundredth.peakBytes,
      },
    ];
  } finally {
    await sides.stop();
    await world.close();
  }
}

async function planned(
  world: BenchWorld,
  sides: Sides,
  store: string,
  file: ExportFile,
): Promise<{ seconds: number; peakBytes: number }> {
  await sides.order({ file });
  const began = performance.now();
  const { status, stderr, peakBytes } = await world.command('plan', '--store', store, '--full', '--json');
  if (status !== 0) throw new Error(`plan ended with ${String(status)}: ${stderr}`);
  return { seconds: (performance.now() - began) / 1000, peakBytes };
}
