import { CodedError } from '../domain/errors.js';
import type { RunCounts } from '../domain/run-counts.js';
import type { ComparedBy } from '../persistence/compared-by.js';
import type { PlannedCounts } from '../persistence/plan-actions.js';
import type { Plan } from '../persistence/plan.js';
import type { Store } from '../connections/connections.js';
import { askById } from './absence.js';
import { compareWithCatalog, type ComparedLinks } from './catalog-view.js';
import type { SourceRead } from './extract.js';
import { Findings, planBatch, type Tally } from './planned-batch.js';
import { planAgain } from './planned-again.js';
import { resolveIdentities } from './resolve-identities.js';
import type { ListingRequest } from './workspace-listing.js';

export interface PlanOutcome {
  readonly counts: Pick<RunCounts, 'seen' | 'unchanged' | 'conflicted'>;
  readonly planned: PlannedCounts;
  /** The reason why absence proves nothing, if the read was not complete. */
  readonly incomplete: string | null;
  /** Store ids that were asked for and do not exist. */
  readonly gone: readonly string[];
  /** The whole catalog was read: nobody else holds an identifier that the plan's creations send. */
  readonly proved: boolean;
  /** Why a full run did not look for products that were deleted in the catalog, for people; null when it did. */
  readonly notCompared: string | null;
}

export interface PlanOptions {
  /** How linked products are compared with the catalog; null for a run that does not compare them. */
  readonly comparedBy: ComparedBy;
  /** Ignores the share limits. */
  readonly force: boolean;
  readonly listing: ListingRequest;
  readonly onProgress: (seen: number) => void;
}

/** The error that stops a run before it applies an implausible plan. Reconcile does not retry such a run. */
export class PlanLimitError extends CodedError {
  constructor(limit: string, share: number, allowed: number, what: string) {
    const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
    super(
      'misconfigured',
      `stopped by limits.${limit}: the run would ${what} ${percent(share)} of the linked products, ${percent(allowed)} are allowed; nothing was applied`,
    );
  }
}

/**
 * Plans a whole read: first batches of products against their links, then their identity against the store and the
 * catalog, then the limits. Everything is written as drafts of the plan. The caller commits or discards it. Throws `PlanLimitError` when
 * the plan is implausible.
 */
export async function planRead(
  plan: Plan,
  store: Store,
  read: SourceRead,
  options: PlanOptions,
): Promise<PlanOutcome> {
  const tally: Tally = { read: 0, seen: 0, unchanged: 0 };
  const { compared, incomplete } = await besidesComparison(plan, store, options, async (onProgress) => {
    const why = await planProducts(plan, store, read, tally, onProgress);
    if (why === null) await planOrphans(plan, store, tally, options.force);
    await plan.actions.planGone(read.gone);
    return why;
  });
  if (tally.read >= ANALYSED_FROM) await plan.reads.analyse();
  if (compared !== null) {
    plan.reads.noteGone(compared.gone.map(({ externalId }) => externalId));
    await planAgain(plan, store, compared.gone, tally);
  }
  const resolved = await resolveIdentities(plan, store, options.listing, compared);
  tally.unchanged += resolved.unchanged;
  const counts = await plan.actions.counts();
  if (!options.force) enforceLimits(store, counts);
  return {
    counts: { seen: tally.seen, unchanged: tally.unchanged, conflicted: counts.conflicted },
    planned: counts,
    incomplete,
    gone: read.gone,
    proved: resolved.proved,
    notCompared: compared?.notCompared ?? null,
  };
}

/** The tables of a smaller read are searched as fast without statistics. */
const ANALYSED_FROM = 1_000;

/**
 * Plans what the store has while its linked products are compared with the catalog. Returns what came of it, which is null when there is nothing
 * to compare, and what `work` returns. An error of either ends the other, and both have ended when this returns or throws.
 */
async function besidesComparison(
  plan: Plan,
  store: Store,
  { comparedBy, listing: asked, onProgress }: PlanOptions,
  work: (onProgress: PlanOptions['onProgress']) => Promise<string | null>,
): Promise<{ readonly compared: ComparedLinks | null; readonly incomplete: string | null }> {
  const failed = new AbortController();
  const { signal = failed.signal } = asked;
  const request = { ...asked, signal: AbortSignal.any([signal, failed.signal]) };
  const comparing = compareWithCatalog(plan, store.workspace, comparedBy, request);
  comparing.catch((error: unknown) => {
    failed.abort(error);
  });
  let incomplete: string | null;
  try {
    incomplete = await work((seen) => {
      failed.signal.throwIfAborted();
      onProgress(seen);
    });
  } catch (error) {
    failed.abort(error);
    await comparing.catch(() => undefined);
    throw error;
  }
  return { compared: await comparing, incomplete };
}

/** If few products of a batch have changed, they are written together with the next batches. */
const WRITE_TOGETHER = 200;

/** Returns the reason why absence proves nothing, or null when the read was whole. */
async function planProducts(
  plan: Plan,
  store: Store,
  read: SourceRead,
  tally: Tally,
  onProgress: PlanOptions['onProgress'],
): Promise<string | null> {
  let findings = new Findings();
  let incomplete: string | null = 'the read of the store has no end';
  for await (const part of read.parts) {
    if ('complete' in part) {
      incomplete = part.complete ? null : part.why;
      continue;
    }
    const batch = part.products;
    const fresh = await plan.reads.firstSeen(batch.map(({ externalId }) => externalId));
    await planBatch(store, batch, fresh, findings, tally);
    if (findings.size >= WRITE_TOGETHER) {
      await findings.write(plan);
      findings = new Findings();
    }
    onProgress(tally.seen);
  }
  await findings.write(plan);
  return incomplete;
}

/**
 * Plans the removal of products that a complete read did not show and that the store does not know by id either. One that it knows is
 * planned as it is now: the search left it out. With a filter it may only no longer match, so it is left alone. Throws `PlanLimitError`
 * when a read without a filter shows too few products: a store that seems empty is not asked for each of its products.
 */
async function planOrphans(plan: Plan, store: Store, tally: Tally, force: boolean): Promise<void> {
  const unseen = await plan.reads.unseen();
  if (unseen.length === 0) return;
  const hasFilter = store.settings.filter.query !== '';
  const { linked } = await plan.actions.counts();
  if (!force && !hasFilter) enforceLimits(store, { linked, changes: 0, orphans: unseen.length });
  const present = new Set<string>();
  const findings = new Findings();
  for await (const { found } of askById(store, unseen)) {
    for (const { externalId } of found) present.add(externalId);
    if (found.length === 0 || hasFilter) continue;
    const fresh = await plan.reads.firstSeen(found.map(({ externalId }) => externalId));
    await planBatch(store, found, fresh, findings, tally);
  }
  await findings.write(plan);
  await plan.actions.planOrphans(present);
}

function enforceLimits(store: Store, counts: { linked: number; changes: number; orphans: number }): void {
  if (counts.linked === 0) return;
  const { maxChangedShare, maxOrphanedShare } = store.settings.limits;
  const changed = counts.changes / counts.linked;
  const orphaned = counts.orphans / counts.linked;
  if (changed > maxChangedShare)
    throw new PlanLimitError('maxChangedShare', changed, maxChangedShare, 'change');
  if (orphaned > maxOrphanedShare)
    throw new PlanLimitError('maxOrphanedShare', orphaned, maxOrphanedShare, 'orphan');
}
