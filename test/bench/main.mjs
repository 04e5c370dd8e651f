import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { benchCommands } from './commands.js';
import { benchFirstLoad, benchFullRuns, benchMillion } from './full-runs.js';
import { benchLatencies } from './latencies.js';
import { benchManyStores } from './many-stores.js';
import { benchReceipt } from './receipt.js';
import { benchWriteBacks } from './write-backs.js';

// `npm run bench -- [--only full-runs,receipt] [--share 0.1]`: measures the rows of docs/scaling.md, each against what the latencies and
// limits of both sides take alone: pages of 50, 30 ms an answer, 50 requests a second. The program has the memory of its container,
// 512 MB. A share below 1 does less of everything, to try a change: its figures are not
// those of the goals.

const BENCHES = {
  commands: benchCommands,
  'full-runs': benchFullRuns,
  'first-load': benchFirstLoad,
  'write-backs': benchWriteBacks,
  latencies: benchLatencies,
  receipt: benchReceipt,
  'many-stores': benchManyStores,
};

/** A million products take minutes, so they run only when they are named. */
const ALL = { ...BENCHES, million: benchMillion };

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(BENCHES).join(',') },
    share: { type: 'string', default: '1' },
  },
});
const names = values.only.split(',');
const unknown = names.filter((name) => !Object.hasOwn(ALL, name));
if (unknown.length > 0)
  throw new Error(`there is no bench "${unknown.join(', ')}": choose from ${Object.keys(ALL).join(', ')}`);

await setUp();
const figures = [];
try {
  for (const name of names) {
    const began = performance.now();
    try {
      await ALL[name](Number(values.share), (...taken) => {
        figures.push(...taken);
        // Shown at once, so that an interrupted bench has shown what it measured.
        console.table(taken);
      });
      console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
    } catch (error) {
      // A bench that fails loses no figure of the others.
      console.error(`${name} failed:`, error);
      process.exitCode = 1;
    }
  }
  console.table(figures);
} finally {
  await tearDown();
}
