import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { runSoak } from './soak.js';

// `npm run soak`: docs/testing.md#the-soak describes the options. Prints the seed and the outcome, and exits with 1 when anything was
// lost, doubled, refused or otherwise broken.

const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '3' },
    redis: { type: 'boolean', default: false },
    stores: { type: 'string', default: '50' },
    deliveries: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '100' },
    'redis-kills': { type: 'string', default: '20' },
    restarts: { type: 'string', default: '10' },
    partitions: { type: 'string', default: '5' },
    'partition-seconds': { type: 'string', default: '20' },
    'skew-seconds': { type: 'string', default: '120' },
    seed: { type: 'string', default: '20261121' },
  },
});
const number = (name) => Number(values[name]);
const options = {
  replicas: number('replicas'),
  redis: values.redis,
  database: { cluster: 'soak' },
  stores: number('stores'),
  // Each store has a run every other minute, and the stores take turns.
  cron: (index) => `${(index * 7) % 60} */2 * * * *`,
  deliveries: number('deliveries'),
  kills: number('kills'),
  redisKills: values.redis ? number('redis-kills') : 0,
  databaseCrashes: number('restarts'),
  partitions: number('partitions'),
  cutShare: 0.5,
  partitionMs: number('partition-seconds') * 1_000,
  skewMs: number('skew-seconds') * 1_000,
  seed: number('seed'),
  log: (line) => console.log(line),
};

await setUp();
try {
  const { lost, doubled, refused, broken, unheld, ...figures } = await runSoak(options);
  console.log(figures);
  for (const [kind, found] of Object.entries({ lost, doubled, refused, broken, unheld })) {
    console.log(`${kind}: ${found.length}`);
    for (const line of found.slice(0, 20)) console.log(`  ${line}`);
    if (found.length > 0) process.exitCode = 1;
  }
} finally {
  await tearDown();
}
