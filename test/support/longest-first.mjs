import Sequencer from '@jest/test-sequencer';

/**
 * The longest suites first: started last, one of them would keep a worker when the others are done. Jest knows durations only after a
 * first run.
 */
const LONG = [
  'test/fault/kill-points',
  'test/fault/replicas',
  'test/e2e/contract-by-url',
  'test/e2e/embedded-postgres/',
  'test/soak/',
  'test/e2e/cli/small-things',
  'test/e2e/dashboard/browser',
  'test/e2e/runs-side-by-side',
  'test/fault/',
  'test/e2e/store-events',
  'test/e2e/faults',
  'test/e2e/dashboard/',
  'test/e2e/',
  'test/contract/',
  'test/integration/sync/identity-readings',
  'test/integration/sync/source-translations',
  'test/integration/sync/taken-over',
  'test/integration/webhooks/one-result-two-ways',
  'test/integration/operations/odd-input',
  'test/integration/persistence/shared-rate',
  'test/integration/webhooks/one-order',
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
