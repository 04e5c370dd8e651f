import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { storeSchema } from '../../src/config/store-schema.js';
import { markOfRead } from '../../src/planner/plan-product.js';
import { readBasisOf } from '../../src/sites/sites.js';
import { runDirectory } from '../support/run-directory.js';
import { type ExportFile, writeExportFile } from './export-files.js';
import { MEGABYTE, middleOf } from './full-run.js';
import type { Log } from './run-benches.js';
import { benchProduct } from './seed.js';
import { Sides } from './sides.js';
import type { Figure } from './table.js';
import { BenchWorld } from './world.js';

const BATCH = 10_000;
/** An odd number: the middle one counts. */
const ROUNDS = 3;
/** Plans of each smaller store in a round, of which the middle one counts: a plan of two seconds says more about one moment of the machine. */
const SMALLER_PLANS = 3;

interface Planned {
  readonly seconds: number;
  readonly peakBytes: number;
}

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

/** A store of one size, in a database of its own. */
interface Planner {
  readonly products: number;
  plan(): Promise<Planned>;
  close(): Promise<void>;
}

/** One round: the time of each further product, in µs, of the whole store and of a tenth of it. */
interface Round {
  readonly figure: number;
  readonly floor: number;
}

/**
 * The last figure of work 10: planning an unchanged store, with a tenth of `products` and with all of them. The sizes take turns, so that
 * a machine whose speed changes does not change the figure. The round with the middle ratio counts.
 */
export async function benchMillion(products: number, log: Log): Promise<Figure[]> {
  const sides = await Sides.start();
  const planners: Planner[] = [];
  try {
    for (const share of [100, 10, 1]) planners.push(await openPlanner(sides, Math.round(products / share)));
    const peaks: Record<number, number> = {};
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const taken: { products: number; seconds: number }[] = [];
      for (const planner of planners) {
        const plans = await plansOf(planner, planner.products === products ? 1 : SMALLER_PLANS);
        taken.push({ products: planner.products, seconds: middleOf(plans.map(({ seconds }) => seconds)) });
        // One peak of each round, however many plans it has: the greatest of more would be greater.
        peaks[planner.products] = Math.max(peaks[planner.products] ?? 0, plans[0]?.peakBytes ?? 0);
        const each = plans.map(({ seconds }) => `${seconds.toFixed(2)} s`).join(', ');
        log(`million: ${String(planner.products)} planned in ${each}`);
      }
      const [floor = 0, figure = 0] = taken.slice(1).map((more, index) => {
        const less = taken[index] ?? more;
        return ((more.seconds - less.seconds) / (more.products - less.products)) * 1e6;
      });
      rounds.push({ figure, floor });
    }
    return figuresOf(
      rounds,
      planners.map(({ products: count }) => ({ count, peakBytes: peaks[count] ?? 0 })),
    );
  } finally {
    await sides.stop();
    for (const planner of planners) await planner.close();
  }
}

async function plansOf(planner: Planner, times: number): Promise<Planned[]> {
  const plans: Planned[] = [];
  while (plans.length < times) plans.push(await planner.plan());
  return plans;
}

function figuresOf(
  rounds: readonly Round[],
  peaks: readonly { readonly count: number; readonly peakBytes: number }[],
): Figure[] {
  const ratioOf = ({ figure, floor }: Round): number => figure / floor;
  const ratio = middleOf(rounds.map(ratioOf));
  const round = rounds.find((each) => ratioOf(each) === ratio);
  const [least, most] = [peaks.at(0), peaks.at(-1)];
  if (round === undefined || least === undefined || most === undefined)
    throw new Error('nothing was planned');
  return [
    {
      row: '10',
      work: `planning alone of a store of ${String(most.count)}: each product beyond a tenth of them`,
      ...round,
      unit: 'µs',
      floorIs: `each of the tenth beyond a hundredth`,
      goal: 'within 15 %',
      reached: ratio <= 1.15,
    },
    {
      row: '10',
      work: 'peak memory of that command',
      figure: most.peakBytes / MEGABYTE,
      unit: 'MB',
      floor: least.peakBytes / MEGABYTE,
      floorIs: `${String(least.count)} products`,
      goal: 'at most 1.25 ×',
      reached: most.peakBytes <= 1.25 * least.peakBytes,
    },
  ];
}

async function openPlanner(sides: Sides, products: number): Promise<Planner> {
  const store = `store-${String(products)}`;
  const shop = `${store}.myshopify.com`;
  const stores = { [store]: { shop, url: sides.storeUrl } };
  const world = await BenchWorld.open({ catalogUrl: sides.catalogUrl, stores });
  const file = await writeExportFile(join(runDirectory(), `${store}.jsonl`), products);
  await seedMarks(world.db, store, shop, products);
  await world.db.query('VACUUM ANALYZE');
  await written(file);
  return {
    products,
    plan: () => planned(world, sides, store, file),
    close: async () => {
      await world.close();
      await rm(file.path);
    },
  };
}

/** Returns once the disk is not busy any more with the file. */
async function written({ path }: ExportFile): Promise<void> {
  const file = await open(path);
  await file.sync();
  await file.close();
}

async function planned(world: BenchWorld, sides: Sides, store: string, file: ExportFile): Promise<Planned> {
  await sides.order({ file });
  const began = performance.now();
  const { status, stderr, peakBytes } = await world.command('plan', '--store', store, '--full', '--json');
  if (status !== 0) throw new Error(`plan ended with ${String(status)}: ${stderr}`);
  return { seconds: (performance.now() - began) / 1000, peakBytes };
}
