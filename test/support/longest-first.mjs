import Sequencer from '@jest/test-sequencer';

/**
 * The longest suites first: started last, one of them would keep a worker when the others are done. Jest knows durations only after a
 * first run.
 */
const LONG = [
  'test/e2e/contract-by-url',
  'test/fault/kill-points',
  'test/fault/receipt-under-load',
  'test/e2e/full-loop',
  'test/e2e/exports',
  'test/e2e/commands',
  'test/e2e/interruptions',
  'test/e2e/store-events',
  'test/e2e/dashboard/browser',
  'test/fault/replicas',
  'test/e2e/embedded-postgres/',
  'test/e2e/wrong-configuration',
  'test/e2e/day-in-the-life',
  'test/e2e/faults',
  'test/e2e/dashboard/judging',
  'test/e2e/',
  'test/fault/',
  'test/integration/sync/source-translations',
  'test/integration/operations/odd-input',
  'test/integration/sync/identity-readings',
  'test/contract/',
  'test/integration/persistence/shared-rate',
  'test/integration/schedule/slow-polls',
  'test/integration/',
  'test/project/',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONG.findIndex((part) => path.includes(part));
      return index === -1 ? LONG.length : index;
    };
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}
