import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { runLongSoak } from './long/soak.js';
import { runReplicaSoak } from './replicas/soak.js';
import { runSoak } from './soak.js';

// `npm run soak -- [--deliveries 10000] [--kills 200] [--restarts 20] [--seed N]`: one daemon. With REDIS_URL the queues are there.
//
// With `--replicas 3` there are replicas and 50 stores, with the queues in PostgreSQL, or with `--redis` in a Redis of the test's own.
// With `--long` one daemon runs for `--hours 24` of a clock that is sped up. docs/testing.md#the-soak describes the options.
//
// Prints the seed and the outcome, and exits with 1 when anything was lost, doubled, refused or otherwise broken.

const { values } = parseArgs({
  options: {
    replicas: { type: 'string' },
    long: { type: 'boolean', default: false },
    hours: { type: 'string', default: '24' },
    nights: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '24' },
    products: { type: 'string', default: '40' },
    redis: { type: 'boolean', default: false },
    'redis-program': { type: 'string' },
    postgres: { type: 'string' },
    stores: { type: 'string' },
    deliveries: { type: 'string' },
    kills: { type: 'string' },
    'redis-kills': { type: 'string', default: '20' },
    restarts: { type: 'string' },
    partitions: { type: 'string', default: '5' },
    'partition-seconds': { type: 'string', default: '20' },
    'skew-seconds': { type: 'string', default: '120' },
    seed: { type: 'string', default: '20261121' },
  },
});

const log = (line) => console.log(line);
const deliveries = Number(values.deliveries ?? (values.long ? '100000' : '10000'));
const seed = Number(values.seed);

async function oneDaemon() {
  const report = await runSoak({
    deliveries,
    kills: Number(values.kills ?? '200'),
    databaseRestarts: Number(values.restarts ?? '20'),
    seed,
    redisUrl: process.env['REDIS_URL'],
    fast: false,
    log,
  });
  return {
    report,
    done: `${report.kills} × kill -9, ${report.databaseRestarts} database crashes`,
    lines: [],
  };
}

async function replicas() {
  const options = {
    replicas: Number(values.replicas),
    redis: values.redis,
    redisProgram: values['redis-program'],
    database: { cluster: `soak-${seed}`, native: values.postgres },
    stores: Number(values.stores ?? '50'),
    deliveries,
    kills: Number(values.kills ?? '100'),
    redisKills: values.redis ? Number(values['redis-kills']) : 0,
    databaseCrashes: Number(values.restarts ?? '10'),
    partitions: Number(values.partitions),
    cutShare: 0.5,
    partitionMs: Number(values['partition-seconds']) * 1_000,
    skewMs: Number(values['skew-seconds']) * 1_000,
    seed,
    log,
  };
  const report = await runReplicaSoak(options);
  const { kills, redisKills, databaseCrashes, partitions } = options;
  return {
    report,
    done: `${kills} × kill -9, ${redisKills} × Redis lost, ${databaseCrashes} database crashes, ${partitions} partitions`,
    lines: [
      report.server,
      `runs ${JSON.stringify(report.runs)}, of ${report.slots} scheduled starts; products ${report.counts.products}`,
      `store writes ${report.writes}, without the product's lease ${report.unheld.length}`,
    ],
  };
}

/** Prints each figure after the first hour and at the end. True when none grew and nothing was lost. */
async function longRun() {
  const { hours, nights, minutes, products } = values;
  const report = await runLongSoak({
    hours: Number(hours),
    nights: Number(nights),
    minutes: Number(minutes),
    deliveries,
    stores: Number(values.stores ?? '5'),
    products: Number(products),
    log,
  });
  const { figures, runs, attempts, repeated, seconds, ...kinds } = report;
  for (const line of figures) console.log(line);
  for (const [kind, found] of Object.entries(kinds))
    for (const line of found.slice(0, 20)) console.log(`${kind}: ${line}`);
  console.log(
    `${hours} hours in ${seconds} s: ${deliveries} deliveries, attempts ${attempts}, of which repeated ${repeated}; ${runs} runs`,
  );
  const counts = Object.entries(kinds).map(([kind, found]) => `${kind} ${found.length}`);
  console.log(counts.join(', '));
  return Object.values(kinds).every((found) => found.length === 0);
}

async function withDisturbances() {
  const { report, done, lines } = values.replicas === undefined ? await oneDaemon() : await replicas();
  const kinds = ['lost', 'doubled', 'refused', 'broken', 'unheld'].filter((kind) => kind in report);
  for (const kind of kinds) for (const line of report[kind].slice(0, 20)) console.log(`${kind}: ${line}`);
  const { writeBacks, applied, storeWrites } = report.counts;
  console.log(
    [
      `seed ${seed}: ${report.counts.deliveries} deliveries, ${done}, ${report.seconds} s`,
      ...lines,
      `attempts ${report.attempts}, of which repeated ${report.repeated}`,
      `write-backs ${writeBacks}, applied ${applied}, fields written ${storeWrites}`,
      `lost ${report.lost.length}, doubled ${report.doubled.length}, 4xx to valid deliveries ${report.refused.length}, otherwise broken ${report.broken.length}`,
    ].join('\n'),
  );
  return kinds.every((kind) => report[kind].length === 0);
}

await setUp();
try {
  process.exitCode = (await (values.long ? longRun() : withDisturbances())) ? 0 : 1;
} finally {
  await tearDown();
}
