import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { runSoak } from './soak.js';

// `npm run soak -- [--deliveries 10000] [--kills 200] [--restarts 20] [--seed N]`; with REDIS_URL the queues live there.
// Prints the seed and the outcome, and exits with 1 when anything was lost, doubled, refused or otherwise broken.

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '200' },
    restarts: { type: 'string', default: '20' },
    seed: { type: 'string', default: '20261121' },
  },
});

await setUp();
try {
  const report = await runSoak({
    deliveries: Number(values.deliveries),
    kills: Number(values.kills),
    databaseRestarts: Number(values.restarts),
    seed: Number(values.seed),
    redisUrl: process.env['REDIS_URL'],
    fast: false,
    log: (line) => console.log(line),
  });
  const kinds = ['lost', 'doubled', 'refused', 'broken'];
  for (const kind of kinds) for (const line of report[kind].slice(0, 20)) console.log(`${kind}: ${line}`);
  const { deliveries, writeBacks, applied, storeWrites } = report.counts;
  console.log(
    [
      `seed ${values.seed}: ${deliveries} deliveries, ${report.kills} × kill -9, ${report.databaseRestarts} database crashes, ${report.seconds} s`,
      `attempts ${report.attempts}, of which repeated ${report.repeated}`,
      `write-backs ${writeBacks}, applied ${applied}, fields written ${storeWrites}`,
      `lost ${report.lost.length}, doubled ${report.doubled.length}, 4xx to valid deliveries ${report.refused.length}, otherwise broken ${report.broken.length}`,
    ].join('\n'),
  );
  process.exitCode = kinds.some((kind) => report[kind].length > 0) ? 1 : 0;
} finally {
  await tearDown();
}
