import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '../support/child.js';
import { runDirectory } from '../support/run-directory.js';
import { type ExportFile, writeExportFile } from './export-files.js';
import type { Log, Take } from './run-benches.js';
import { seedLinks } from './seed.js';
import { LISTING_PAGE, LOOK_FOR_RESULTS, Sides } from './sides.js';
import type { Figure } from './table.js';
import { type BenchDaemon, BenchWorld } from './world.js';

const FLOOR = fileURLToPath(new URL('read-floor-main.ts', import.meta.url));
export const CATALOG_MS = 30;
/** The configuration's default. */
export const CONCURRENCY = 8;
/** Repetitions of runs that are so short that their times vary widely. */
const ROUNDS = 47;
/** One run of the middle store for so many short ones, because longer runs vary less. The number of them is odd, as `middleOf` asks. */
const MIDDLE_EVERY = 2;
/** Runs of the short stores beside each of the large one: an odd number of them in all. */
const BESIDE_LARGE = 3;
export const MEGABYTE = 1024 * 1024;

async function floorSeconds(file: ExportFile): Promise<number> {
  const child = startChild(FLOOR, [file.path]);
  const said = await child.said('seconds ');
  await child.exit();
  return Number(said.split(' ')[0]);
}

/** Of an odd number of figures. */
export function middleOf(taken: readonly number[]): number {
  return taken.toSorted((one, other) => one - other)[(taken.length - 1) / 2] ?? 0;
}

/** The middle one of three. */
async function median(measure: () => Promise<number>): Promise<number> {
  return middleOf([await measure(), await measure(), await measure()]);
}

/** Seconds of a work and of its floor, which take turns, because the machine's speed varies: each the middle of three. */
interface BesideFloor {
  readonly seconds: number;
  readonly floor: number;
}

/** The floor: read, parse, group and hash the same file. */
export async function besideFloor(file: ExportFile, measure: () => Promise<number>): Promise<BesideFloor> {
  const floors: number[] = [];
  const seconds = await median(async () => {
    const taken = await measure();
    floors.push(await floorSeconds(file));
    return taken;
  });
  return { seconds, floor: middleOf(floors) };
}

interface Sizes {
  readonly small: number;
  readonly middle: number;
  readonly large: number;
}

/** Works 1 to 4 and 10: full runs over stores of three sizes of which nothing, or one product in a hundred, changed. */
export async function benchFullRuns(sizes: Sizes, log: Log, take: Take): Promise<void> {
  const sides = await Sides.start();
  const shops = Object.fromEntries(
    Object.keys(sizes).map((key) => [key, { shop: `${key}.myshopify.com`, url: sides.storeUrl }]),
  );
  shops['single'] = { shop: 'single.myshopify.com', url: sides.storeUrl };
  const world = await BenchWorld.open({ catalogUrl: sides.catalogUrl, stores: shops });
  try {
    const counts: Record<string, number> = { single: 1, ...sizes };
    const files: Record<string, ExportFile> = {};
    for (const [key, count] of Object.entries(counts)) {
      files[key] = await writeExportFile(join(runDirectory(), `${key}.jsonl`), count);
      await seedLinks(world.db, { store: key, shop: `${key}.myshopify.com` }, count);
    }
    await world.db.query('VACUUM ANALYZE');
    log('full runs: seeded');
    take(...(await unchangedRuns(world, sides, files, sizes, log)));
    take(...(await changedRun(world, sides, files, sizes, log)));
    for (const file of Object.values(files)) await rm(file.path);
  } finally {
    await sides.stop();
    await world.close();
  }
}

export async function run(
  daemon: BenchDaemon,
  sides: Sides,
  store: string,
  file: ExportFile,
): Promise<number> {
  const listed = { shop: `${store}.myshopify.com`, products: file.products };
  await sides.order({ file, catalogMs: CATALOG_MS, listed });
  const { seconds, run: ended } = await daemon.fullRun(store);
  if (ended.counts['seen'] !== file.products) throw new Error(`seen ${String(ended.counts['seen'])}`);
  return seconds;
}

/** The second of two runs of a store: a run also removes the listing before its own, which may be of a store of another size. */
async function runAgain(daemon: BenchDaemon, sides: Sides, store: string, file: ExportFile): Promise<number> {
  await run(daemon, sides, store, file);
  await sides.takeCounts();
  return run(daemon, sides, store, file);
}

async function unchangedRuns(
  world: BenchWorld,
  sides: Sides,
  files: Record<string, ExportFile>,
  sizes: Sizes,
  log: Log,
): Promise<Figure[]> {
  const { single: singleFile, small: smallFile, middle: middleFile, large: largeFile } = files;
  if (!singleFile || !smallFile || !middleFile || !largeFile) throw new Error('no files');
  const small = await world.start();
  for (const [key, file] of Object.entries(files)) {
    if (key !== 'large') await run(small, sides, key, file);
  }
  // The peak is that of four runs of this store, and not of the many rounds below.
  for (let again = 0; again < 3; again += 1) await run(small, sides, 'middle', middleFile);
  const middlePeak = await small.peakBytes();
  // They alternate: their differences are the result, and the speed of the machine varies over time.
  const taken = { single: [] as number[], small: [] as number[], middle: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    taken.single.push(await runAgain(small, sides, 'single', singleFile));
    taken.small.push(await runAgain(small, sides, 'small', smallFile));
    if (round % MIDDLE_EVERY === MIDDLE_EVERY - 1)
      taken.middle.push(await runAgain(small, sides, 'middle', middleFile));
  }
  await small.stop();
  // The first run of a process after an upgrade: each round has a process of its own.
  let parsedPeak = 0;
  const parsed = await besideFloor(largeFile, async () => {
    const daemon = await world.start();
    const seconds = await run(daemon, sides, 'large', largeFile);
    parsedPeak = Math.max(parsedPeak, await daemon.peakBytes());
    await daemon.stop();
    return seconds;
  });
  log(`full runs: ${largeFile.products} products parsed in ${parsed.seconds.toFixed(1)} s`);
  const again = await world.start();
  await sides.takeCounts();
  await run(again, sides, 'large', largeFile);
  const requests = await sides.takeCounts();
  const largePeak = await again.peakBytes();
  const served: number[] = [];
  const beside = { single: [] as number[], middle: [] as number[] };
  const listed = await median(async () => {
    for (let round = 0; round < BESIDE_LARGE; round += 1) {
      beside.single.push(await runAgain(again, sides, 'single', singleFile));
      beside.middle.push(await runAgain(again, sides, 'middle', middleFile));
    }
    const seconds = await runAgain(again, sides, 'large', largeFile);
    served.push((await sides.takeCounts()).catalogSeconds);
    return seconds;
  });
  // The large store’s listing has just been read, so that runs of the schedule use it. PostgreSQL removes what the one before left at other times.
  await world.db.query('VACUUM ANALYZE');
  const scheduled = async (): Promise<number> => (await again.scheduledRun(world.db, 'large')).seconds;
  const unchanged = await besideFloor(largeFile, scheduled);
  const parsedAlone = await besideFloor(largeFile, scheduled);
  await again.stop();
  const floors = [unchanged, parsed, parsedAlone].map(({ floor }) => floor.toFixed(2));
  log(
    `full runs: ${largeFile.products} products unchanged in ${unchanged.seconds.toFixed(2)} s, ${listed.toFixed(2)} s with the listing, ${parsedAlone.seconds.toFixed(2)} s parsed without it, floors ${floors.join(', ')} s`,
  );
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const { [LOOK_FOR_RESULTS]: _noPartOfTheRun, ...ofTheRun } = requests.catalog;
  const [storeRequests, catalogRequests] = [sum(requests.store), sum(ofTheRun)];
  // A full run looks for products that were deleted in the catalog: it reads each page of the listing once. One more page shows that both
  // walks have met, where they meet between two pages.
  const listingPages = Math.ceil(sizes.large / LISTING_PAGE);
  // A client that follows the addresses of the pages takes the answers one after the other. The service answers a little later than
  // ordered, by its timers.
  const listingFloor = Math.max(unchanged.floor, middleOf(served));
  // Each is compared with runs of the middle store that took turns with its own.
  const costs = [
    { key: 'small', took: middleOf(taken.small), single: taken.single, middle: taken.middle },
    { key: 'large', took: listed, ...beside },
  ] as const;
  const goalMemory = 'at most 256 MB and 1.25 ×';
  const withinMemory = (peak: number): boolean => peak <= 256 * MEGABYTE && peak <= 1.25 * middlePeak;
  return [
    {
      row: '1',
      work: `full run of ${String(sizes.large)} products, nothing changed, by a listing that another run has read`,
      figure: unchanged.seconds,
      unit: 's',
      floor: unchanged.floor,
      floorIs: 'read, parse, group, hash',
      goal: 'at most 1.15 ×',
      reached: unchanged.seconds <= 1.15 * unchanged.floor,
    },
    {
      row: '1a',
      work: `the same with the listing, read meanwhile from both ends, in ${String(listingPages)} requests of ${String(CATALOG_MS)} ms`,
      figure: listed,
      unit: 's',
      floor: listingFloor,
      floorIs: 'the longer of 1’s and the answers of the catalog, one after the other',
      goal: 'at most 1.15 ×',
      reached: listed <= 1.15 * listingFloor,
    },
    {
      row: '1b',
      work: 'the same where also every line has to be parsed (first run after an upgrade)',
      figure: parsed.seconds,
      unit: 's',
      floor: parsed.floor,
      floorIs: 'as 1, in turn with it',
      goal: 'at most 3.0 ×',
      reached: parsed.seconds <= 3 * parsed.floor,
    },
    {
      row: '1c',
      work: '1b by a listing that another run has read',
      figure: parsedAlone.seconds,
      unit: 's',
      floor: parsedAlone.floor,
      floorIs: 'as 1, in turn with it',
      goal: 'at most 3.0 ×',
      reached: parsedAlone.seconds <= 3 * parsedAlone.floor,
    },
    {
      row: '2',
      work: 'peak memory of the daemon in 1a',
      figure: largePeak / MEGABYTE,
      unit: 'MB',
      floor: middlePeak / MEGABYTE,
      floorIs: `${String(sizes.middle)} products`,
      goal: goalMemory,
      reached: withinMemory(largePeak),
    },
    {
      row: '2b',
      work: 'peak memory of the daemon in 1b',
      figure: parsedPeak / MEGABYTE,
      unit: 'MB',
      floor: middlePeak / MEGABYTE,
      floorIs: `${String(sizes.middle)} products`,
      goal: goalMemory,
      reached: withinMemory(parsedPeak),
    },
    {
      row: '3',
      work: `requests in 1a (catalog ${String(catalogRequests)}, store ${String(storeRequests)})`,
      figure: storeRequests + catalogRequests,
      unit: '',
      floor: null,
      floorIs: '',
      goal: 'catalog: the pages of its listing and one, store at most 10',
      reached: catalogRequests <= listingPages + 1 && storeRequests <= 10,
    },
    ...costs.map(({ key, took, single, middle }): Figure => {
      const fixed = middleOf(single);
      const figure = ((took - fixed) / sizes[key]) * 1e6;
      const floor = ((middleOf(middle) - fixed) / sizes.middle) * 1e6;
      return {
        row: '10',
        work: `cost per product of a store of ${String(sizes[key])} (less ${fixed.toFixed(2)} s for a store of one)`,
        figure,
        unit: 'µs',
        floor,
        floorIs: `${String(sizes.middle)} products`,
        goal: 'within 15 %',
        reached: figure <= 1.15 * floor,
      };
    }),
  ];
}

async function changedRun(
  world: BenchWorld,
  sides: Sides,
  files: Record<string, ExportFile>,
  sizes: Sizes,
  log: Log,
): Promise<Figure[]> {
  const changed = Math.round(sizes.large / 100);
  const file = await writeExportFile(join(runDirectory(), 'changed.jsonl'), sizes.large, changed);
  files['changed'] = file;
  const daemon = await world.start();
  try {
    const before = files['large'];
    if (before === undefined) throw new Error('no file');
    // The stores of this bench have the same identifiers, which none of them may send then. Work 17 measures that.
    await world.db.query(`DELETE FROM product_identifier WHERE store <> 'large'`);
    const written: number[] = [];
    const taken = { unchanged: [] as number[], changed: [] as number[] };
    // In turn, because the speed of the machine varies: a run of the same file, and one of the file in which as many products differ.
    for (const [same, next] of [
      [before, file],
      [file, before],
      [before, file],
    ] as const) {
      taken.unchanged.push(await runAgain(daemon, sides, 'large', same));
      await sides.takeCounts();
      taken.changed.push(await run(daemon, sides, 'large', next));
      const { catalog } = await sides.takeCounts();
      written.push(writesOf(catalog));
      log(`full runs: ${String(changed)} changed, ${JSON.stringify(catalog)}`);
    }
    const [unchanged, seconds] = [middleOf(taken.unchanged), middleOf(taken.changed)];
    const service = (changed * CATALOG_MS) / 1000 / CONCURRENCY;
    return [
      {
        row: '4',
        work: `${String(changed)} of ${String(sizes.large)} changed: catalog writes`,
        figure: written.find((writes) => writes !== changed) ?? changed,
        unit: '',
        floor: null,
        floorIs: '',
        goal: `exactly ${String(changed)}`,
        reached: written.every((writes) => writes === changed),
      },
      {
        row: '4',
        work: 'the time of it',
        figure: seconds,
        unit: 's',
        floor: unchanged + service,
        floorIs: `as 1a, in turn with it, and ${String(changed)} × ${String(CATALOG_MS)} ms ÷ ${String(CONCURRENCY)}`,
        goal: `at most ${(1.3 * unchanged + service).toFixed(2)} s`,
        reached: seconds <= 1.3 * unchanged + service,
      },
    ];
  } finally {
    await daemon.stop();
  }
}

function writesOf(catalog: Readonly<Record<string, number>>): number {
  const writes = Object.entries(catalog).filter(
    ([what]) => what !== LOOK_FOR_RESULTS && !what.startsWith('GET'),
  );
  return writes.reduce((sum, [, count]) => sum + count, 0);
}
