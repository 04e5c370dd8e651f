import { randomUUID } from 'node:crypto';
import type { RunCounts } from '../domain/run-counts.js';
import type { Database } from '../persistence/database.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { PlanTransaction } from '../persistence/plan-transaction.js';
import type { StateRepository } from '../persistence/state.repository.js';
import type { Store } from '../sites/sites.js';
import type { Clock } from '../runtime/clock.js';
import { owedStoreIds, readAll, readChanges, type Extracted } from './extract.js';
import { planRead } from './planning.js';

export interface DryRun {
  readonly kind: 'full' | 'incremental';
  readonly counts: Pick<RunCounts, 'seen' | 'unchanged' | 'conflicted'> & {
    creates: number;
    updates: number;
    orphans: number;
  };
  /** The reason why absence proves nothing, if the read was not complete. */
  readonly incomplete: string | null;
}

interface Parts {
  readonly db: Database;
  readonly state: StateRepository;
  readonly clock: Clock;
}

interface DryRunOptions {
  readonly full: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (seen: number) => void;
  /** Awaited, so that a plan can be stored in batches. */
  readonly onActions: (actions: readonly SyncActionEntity[]) => void | Promise<void>;
}

/**
 * Computes the changes of a sync with the same steps, in a transaction that is rolled back. Nothing is written.
 * Actions are returned while they can be read. Share limits are not enforced, because the dry run helps to decide
 * about them.
 */
export async function dryRun(parts: Parts, store: Store, options: DryRunOptions): Promise<DryRun> {
  await store.connector.identify();
  const known = await parts.state.store(store.key);
  const watermark = options.full ? null : (known?.watermark ?? null);
  const nothing = { started: () => Promise.resolve(), waiting: () => undefined };
  const read =
    watermark === null
      ? await readAll(store, null, nothing, parts.clock, options.signal)
      : readChanges(store, watermark, owedStoreIds(new OwedRepository(parts.db), store.key));
  return planDry(parts, store, { read, full: watermark === null }, options);
}

async function planDry(
  parts: Parts,
  store: Store,
  { read, full }: Extracted,
  options: DryRunOptions,
): Promise<DryRun> {
  const run = { id: randomUUID(), store: store.key, workspace: store.workspace.key };
  const plan = await PlanTransaction.begin(parts.db, run, { dry: true });
  try {
    const outcome = await planRead(plan, store, read, {
      full,
      force: true,
      listing: { since: null, clock: parts.clock, signal: options.signal },
      onProgress: options.onProgress,
    });
    for await (const actions of plan.actions.all()) await options.onActions(actions);
    const { creates, updates, orphans } = await plan.actions.counts();
    return {
      kind: full ? 'full' : 'incremental',
      counts: { ...outcome.counts, creates, updates, orphans },
      incomplete: outcome.incomplete,
    };
  } finally {
    await plan.end();
  }
}
