import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { runFuzz } from './fuzz.js';

// `npm run fuzz -- [--seconds 30] [--rest 60] [--seed N]`: odd deliveries, store events and API calls to a running daemon, hostile
// answers of both sides to its clients, and odd HTML, JSON, CSV and log texts through the functions that read them. Prints what was
// tried. Exits with 1 when the daemon crashed, answered 5xx other than the 503 of its budget, or took more than a second. The same
// when a function failed, when more than 20 % of the memory at the start is added to what is in use, or when the daemon would not
// fit into its container.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rest: { type: 'string', default: '60' },
    seed: { type: 'string', default: '20261122' },
  },
});

await setUp();
try {
  const isSound = await runFuzz({
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    restSeconds: Number(values.rest),
    log: console.log,
  });
  if (!isSound) process.exitCode = 1;
} finally {
  await tearDown();
}
