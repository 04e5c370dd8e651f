import { redisInstalled } from '../support/redis.js';
import { benchAttributes } from './attributes.js';
import { benchBulkChange } from './bulk-changes.js';
import { benchFirstLoad } from './first-load.js';
import { benchFairness } from './fairness.js';
import { benchFullRuns } from './full-run.js';
import { benchManyStores, benchReplicaRuns } from './many-stores.js';
import { benchReceiptAtWork } from './receipt-at-work.js';
import { benchReceiptByRole } from './receipt-by-role.js';
import { benchReceipt } from './receipt.js';
import type { Bench } from './run-benches.js';
import { benchSharedIdentifiers } from './shared-identifiers.js';
import { benchAttributeWrites, benchReplicas, benchWriteBacks } from './write-backs.js';

const scaled = (count: number, share: number): number => Math.max(1, Math.round(count * share));

/** Every bench by its name, in the order in which they run. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  'full-runs': {
    run: (share, log, take) =>
      benchFullRuns(
        { small: scaled(1_000, share), middle: scaled(10_000, share), large: scaled(100_000, share) },
        log,
        take,
      ),
  },
  attributes: {
    run: async (share, log, take) => take(...(await benchAttributes(scaled(10_000, share), log))),
  },
  'shared-identifiers': {
    run: async (share, log, take) => take(...(await benchSharedIdentifiers(scaled(10_000, share), log))),
  },
  'first-load': {
    run: async (share, log, take) => take(...(await benchFirstLoad(scaled(20_000, share), log))),
  },
  receipt: { run: async (share, log, take) => take(...(await benchReceipt(scaled(12, share), log))) },
  'receipt-at-work': {
    run: async (share, log, take) => take(...(await benchReceiptAtWork(scaled(40, share), log))),
  },
  'receipt-by-role': {
    run: async (share, log, take) => take(...(await benchReceiptByRole(scaled(20_000, share), log))),
  },
  'write-backs': {
    // Its points come back at a fixed rate: it waits some ten minutes for them.
    waits: true,
    run: async (share, log, take) => take(...(await benchWriteBacks(scaled(5_000, share), log))),
  },
  'attribute-writes': {
    waits: true,
    run: async (share, log, take) => take(...(await benchAttributeWrites(scaled(1_000, share), log))),
  },
  'bulk-change': {
    run: async (share, log, take) => take(...(await benchBulkChange(scaled(10_000, share), log))),
  },
  'many-stores': {
    run: (share, log, take) =>
      benchManyStores(
        [10, 100, 1_000].map((stores) => scaled(stores, share)),
        scaled(100_000, share),
        log,
        take,
      ),
  },
  fairness: { run: (share, log, take) => benchFairness(scaled(100_000, share), log, take) },
  'replica-runs': {
    missing: () => (redisInstalled() ? null : 'redis-server is not installed'),
    run: (share, log, take) => benchReplicaRuns(scaled(200, share), log, take),
  },
  replicas: {
    missing: () => (redisInstalled() ? null : 'redis-server is not installed'),
    run: (share, log, take) => benchReplicas(scaled(480, share), log, take),
  },
};
