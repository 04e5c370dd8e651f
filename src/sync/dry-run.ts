import { comparedBy } from '../persistence/compared-by.js';
import type { Database } from '../persistence/database.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import type { PlanCounts } from '../persistence/entities/sync-run.entity.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { planEnded, type PlanRepository } from '../persistence/plan.repository.js';
import type { PlannedRun } from '../persistence/plan-rows.js';
import { Plan, PlanLostError } from '../persistence/plan.js';
import type { StateRepository } from '../persistence/state.repository.js';
import { namedStore, type Store } from '../connections/connections.js';
import type { Clock } from '../runtime/clock.js';
import { whileHeld } from '../runtime/held-lease.js';
import { storeIdsBesides, readAll, readChanges, type Extracted } from './extract.js';
import { planRead } from './planning.js';

export interface DryRun {
  readonly kind: 'full' | 'incremental';
  readonly counts: PlanCounts;
  /** The reason why absence proves nothing, if the read was not complete. */
  readonly incomplete: string | null;
}

export interface PlanningParts {
  readonly db: Database;
  readonly plans: PlanRepository;
  readonly state: StateRepository;
  readonly clock: Clock;
}

export interface DryRunOptions {
  readonly full: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (seen: number) => void;
  readonly onActions: (actions: readonly SyncActionEntity[]) => void;
}

/** Computes the changes of a sync with the same steps. Nothing is left of it. */
export async function dryRun(parts: PlanningParts, store: Store, options: DryRunOptions): Promise<DryRun> {
  const run = await parts.plans.begin(store.key, store.workspace.key, { isKept: false });
  try {
    const { entries: _entries, ...made } = await planForReview(parts, run, store, options);
    return made;
  } finally {
    await parts.plans.remove(run.id);
  }
}

/**
 * Plans a sync under the given run, which nobody works. Share limits are not enforced, because a plan for review helps to decide about
 * them. Throws `transient` when the lease was lost: from then on nothing of the plan is written, so it would lack actions.
 */
export async function planForReview(
  parts: PlanningParts,
  run: PlannedRun,
  store: Store,
  options: DryRunOptions,
): Promise<DryRun & { readonly entries: number }> {
  return whileHeld(
    () => parts.plans.keepLease(run),
    async (lost) => {
      const signal = AbortSignal.any([options.signal, lost]);
      const made = await planHeld(parts, run, store, { ...options, signal }).catch((error: unknown) => {
        throw lost.aborted || error instanceof PlanLostError ? planEnded(error) : error;
      });
      if (!(await parts.plans.keepLease(run))) throw planEnded();
      return made;
    },
  );
}

async function planHeld(
  parts: PlanningParts,
  run: PlannedRun,
  store: Store,
  options: DryRunOptions,
): Promise<DryRun & { readonly entries: number }> {
  const watermark = options.full ? null : await parts.state.watermark(store.key, store.scope);
  const named = namedStore(store, await store.connector.probe());
  const nothing = { started: () => Promise.resolve(), waiting: () => undefined };
  const read =
    watermark === null
      ? await readAll(store, null, nothing, options.signal)
      : readChanges(store, watermark, storeIdsBesides(new OwedRepository(parts.db), store.key));
  const full = watermark === null;
  const way = full ? await comparedBy(parts.db, run) : null;
  return planExtracted(parts, run, named, { read, full, comparedBy: way }, options);
}

async function planExtracted(
  { db, clock }: PlanningParts,
  run: PlannedRun,
  store: Store,
  { read, full, comparedBy: way }: Extracted,
  { signal, onProgress, onActions }: DryRunOptions,
): Promise<DryRun & { readonly entries: number }> {
  const plan = await Plan.begin(db, run);
  try {
    const outcome = await planRead(plan, store, read, {
      comparedBy: way,
      force: true,
      // A person expects it to see the catalog as it is now.
      listing: { since: await plan.listings.now(), clock, signal },
      onProgress,
    });
    for await (const actions of plan.actions.all()) onActions(actions);
    const { entries, creates, updates, orphans } = outcome.planned;
    return {
      kind: full ? 'full' : 'incremental',
      counts: { ...outcome.counts, creates, updates, orphans },
      incomplete: outcome.incomplete,
      entries,
    };
  } finally {
    await plan.forgetListings();
  }
}
