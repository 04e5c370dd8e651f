import { benchFirstLoad } from './first-load.js';
import { benchFullRuns, type Log } from './full-run.js';
import { benchMillion } from './million.js';
import { benchPlanning } from './planning.js';
import { benchReceipt } from './receipt.js';
import type { Figure } from './table.js';
import { benchReplicas, benchWriteBacks } from './write-backs.js';

type Bench = (share: number, log: Log) => Promise<Figure[]>;

const scaled = (count: number, share: number): number => Math.max(1, Math.round(count * share));

/** Every bench by its name, in the order in which they are run. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  'full-runs': (share, log) =>
    benchFullRuns(
      { small: scaled(1_000, share), middle: scaled(10_000, share), large: scaled(100_000, share) },
      log,
    ),
  'first-load': (share, log) => benchFirstLoad(scaled(20_000, share), log),
  receipt: (share, log) => benchReceipt(scaled(12, share), log),
  planning: (share, log) => benchPlanning(scaled(100_000, share), log),
  'write-backs': (share, log) => benchWriteBacks(scaled(5_000, share), log),
  million: (share, log) => benchMillion(scaled(1_000_000, share), log),
  replicas: (share, log) => benchReplicas(scaled(480, share), log),
};

/** Waits for its points some ten minutes long, and does little meanwhile: what follows it is run beside it. */
const WAITS = 'write-backs';

export async function runBenches(names: readonly string[], share: number, log: Log): Promise<Figure[]> {
  const figures: Figure[] = [];
  let waited: Promise<Figure[]> = Promise.resolve([]);
  for (const name of names) {
    const bench = BENCHES[name];
    if (bench === undefined)
      throw new Error(`no bench "${name}" (there are ${Object.keys(BENCHES).join(', ')})`);
    log(`${name} …`);
    const taken = bench(share, log);
    if (name === WAITS) {
      waited = taken;
      waited.catch(() => undefined); // met below, unless another fails first
    } else figures.push(...(await taken));
  }
  figures.push(...(await waited));
  return figures.sort((one, other) => parseInt(one.row) - parseInt(other.row));
}
