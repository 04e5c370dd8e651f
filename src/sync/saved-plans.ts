import { Injectable } from '@nestjs/common';
import { CodedError, errorLine } from '../domain/errors.js';
import { NO_COUNTS } from '../domain/run-counts.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { SourceProduct } from '../domain/store-port.js';
import { Database } from '../persistence/database.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import {
  PlanRepository,
  type AppliedBy,
  type EntryStanding,
  type KeptPlan,
  type Refusal,
} from '../persistence/plan.repository.js';
import { Plan } from '../persistence/plan.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { ResolvedIdentity } from '../planner/identity.js';
import { filledFields, identifierKey } from '../planner/map-to-catalog.js';
import type { PlannedChange } from '../planner/plan-product.js';
import { reasonOutOfScope } from '../planner/scope.js';
import { effectiveSnapshot, seenFields, sourceFingerprint } from '../planner/source.js';
import { Connections, type Store } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { fillCatalogView } from './catalog-view.js';
import { dryRun, planForReview, type DryRun, type DryRunOptions } from './dry-run.js';
import { assertPlannedFor } from './planned-for.js';
import { identityResolver, plannedChange } from './resolve-identities.js';

export interface AppliedPlan {
  readonly runId: string;
  readonly entries: number;
  readonly refused: number;
}

/** Products per request when entries are compared with the live store. */
const BATCH = 50;

interface Tally {
  entries: number;
  products: number;
  refused: number;
}

/**
 * Plans that are stored for review and applied later, exactly: an entry whose product, link or catalog product changed since is refused
 * with its reason, and the others go on.
 */
@Injectable()
export class SavedPlans {
  constructor(
    readonly db: Database,
    private readonly connections: Connections,
    readonly state: StateRepository,
    readonly plans: PlanRepository,
    readonly clock: Clock,
  ) {}

  /** Plans a sync. Nothing is left of it. Throws `misconfigured` for an unknown store. */
  async dryRun(storeKey: string, options: DryRunOptions): Promise<DryRun> {
    return dryRun(this, this.connections.store(storeKey), options);
  }

  /** Removes a plan that nobody is to review. */
  async discard(planId: string): Promise<void> {
    await this.plans.remove(planId);
  }

  /** An empty draft, made before the store is read. Throws `misconfigured` for an unknown store. */
  async draft(storeKey: string): Promise<string> {
    const store = this.connections.store(storeKey);
    const { id } = await this.plans.begin(store.key, store.workspace.key, { isKept: true });
    return id;
  }

  /** Plans like a dry run under the draft, which keeps the result. If planning fails, the draft has the reason. */
  async fill(planId: string, storeKey: string, options: DryRunOptions): Promise<DryRun> {
    const store = this.connections.store(storeKey);
    const run = await this.plans.underWay(planId);
    try {
      const { entries, ...made } = await planForReview(this, run, store, options);
      const { kind, counts, incomplete } = made;
      const deletes = deletesGone(store);
      await this.plans.finish(run, { kind, counts, incomplete, entries, deletes });
      return made;
    } catch (error) {
      await this.plans.fail(run, errorLine(error));
      throw error;
    }
  }

  /**
   * Makes a run of a saved plan, with exactly its entries. An entry that is no longer valid becomes a failed action
   * with the reason. The run starts in its apply phase. The share limits are ignored, because a person saw the plan.
   * Throws `not_found` for an unknown plan, `conflict` when it was already applied or the store has an active run, and `misconfigured`
   * when the store has another workspace by now.
   */
  async apply(planId: string, by: AppliedBy, signal: AbortSignal): Promise<AppliedPlan> {
    const kept = await this.#applicable(planId);
    const store = this.connections.store(kept.store);
    assertPlannedFor(store.workspace, kept, 'make a new plan');
    const began = await this.db.now();
    const run = await this.plans.take(kept);
    if (run === null) throw new CodedError('conflict', `plan ${kept.id} is being applied already`);
    try {
      const plan = Plan.of(this.db, run);
      const tally = await this.#judge(plan, store, { deletes: kept.deletes ?? false, signal });
      const { conflicted } = await plan.actions.counts();
      const counts = { ...NO_COUNTS, seen: tally.products, conflicted };
      await this.plans.queue(run, { by, counts, began });
      return { runId: run.id, entries: tally.entries, refused: tally.refused };
    } catch (error) {
      await this.plans.release(run);
      throw error;
    }
  }

  async #applicable(planId: string): Promise<KeptPlan> {
    const plan = await this.plans.get(planId);
    if (plan === null) throw new CodedError('not_found', `no plan ${planId.slice(0, 100)}`);
    switch (plan.state) {
      case 'saved':
        return plan;
      case 'applied':
        throw new CodedError(
          'conflict',
          `plan ${plan.id} was applied already, by run ${plan.runId ?? 'unknown'}: a plan is applied once`,
        );
      case 'planning':
        throw new CodedError('conflict', `plan ${plan.id} is still being made`);
      case 'failed':
        throw new CodedError(
          'conflict',
          `plan ${plan.id} could not be made: ${plan.error ?? 'no reason given'}`,
        );
    }
  }

  /** Judges each entry again, by the store, its link and the identities as they are now. */
  async #judge(
    plan: Plan,
    store: Store,
    { deletes, signal }: { readonly deletes: boolean; readonly signal: AbortSignal },
  ): Promise<Tally> {
    const tally = { entries: 0, products: 0, refused: 0 };
    await fillCatalogView(plan, store.workspace, null, { since: null, clock: this.clock, signal });
    const contested = await plan.identities.contested();
    const unsettled = new Set(await plan.identities.toResolve());
    for (let after = '0'; ;) {
      signal.throwIfAborted();
      const entries = await this.plans.standing(plan.run, after, BATCH);
      if (entries.length === 0) return tally;
      const live = await store.connector.readProducts(entries.map((entry) => entry.storeId));
      const resolve = await identityResolver(plan, store, entries, contested);
      const refusals: Refusal[] = [];
      const valid: Pick<SyncActionEntity, 'id' | 'seen'>[] = [];
      for (const [index, entry] of entries.entries()) {
        tally.entries += 1;
        if (entry.kind !== 'orphan') tally.products += 1;
        const verdict = judged(entry, live[index] ?? null, store, deletes);
        const reason =
          verdict.reason ?? (unsettled.has(entry.id) ? movedIdentity(entry, resolve(asNew(entry))) : null);
        if (reason === null) valid.push({ id: entry.id, seen: verdict.seen });
        else refusals.push({ id: entry.id, reason });
      }
      await this.plans.seenNow(plan.run, valid);
      await this.plans.refuse(plan.run, refusals);
      tally.refused += refusals.length;
      after = entries.at(-1)?.id ?? after;
    }
  }
}

/** The reason why the entry is no longer valid, or null and the hashes of the product's present values. */
interface Verdict {
  readonly reason: string | null;
  readonly seen: Record<string, string>;
}

function deletesGone({ settings }: Store): boolean {
  return settings.deleted === 'delete';
}

function judged(entry: EntryStanding, found: SourceProduct | null, store: Store, deletes: boolean): Verdict {
  const refused = (reason: string): Verdict => ({ reason, seen: {} });
  if (entry.writing) return refused('a write-back of the product is under way');
  if (entry.actedSince || entry.linkMoved)
    return refused('another run has dealt with the product since the plan was made');
  if (entry.kind === 'orphan' && deletes !== deletesGone(store))
    return refused('the setting deleted was changed since the plan was made');
  if (entry.kind === 'orphan')
    return found === null ? { reason: null, seen: {} } : refused('the product is in the store again');
  if (found === null) return refused('the product is no longer in the store');
  if (found.isLeftOut === true)
    return refused('the product is left out now: filter.query does not select it');
  const live = snapshotOrReason(found);
  if (typeof live === 'string') return refused(live);
  const outOfScope = reasonOutOfScope(live, store.settings.filter);
  if (outOfScope !== null) return refused(`the product is left out now: ${outOfScope}`);
  const source = sourceFingerprint(effectiveSnapshot(live, entry.written), store.rules);
  if (source !== entry.sourceFingerprint || entry.body === null)
    return refused('the product was changed in the store since the plan was made');
  return { reason: null, seen: seenFields(live) };
}

/** A malformed product refuses its own entry alone. */
function snapshotOrReason(product: SourceProduct): ProductSnapshot | string {
  try {
    return product.snapshot();
  } catch (error) {
    return `the product cannot be read now: ${errorLine(error)}`;
  }
}

/** An adoption is a creation with a settled identity, so it is decided again from the start. */
function asNew(entry: SyncActionEntity): PlannedChange {
  const change = plannedChange(entry);
  return entry.kind === 'adopt'
    ? { ...change, kind: 'create', catalogId: null, fields: filledFields(change.body), recreated: false }
    : change;
}

function movedIdentity(entry: SyncActionEntity, resolved: ResolvedIdentity): string | null {
  if (resolved.kind === 'unchanged')
    return 'nothing of it is left to do: its identifiers are withheld by now';
  const { change } = resolved;
  const same =
    change.kind === entry.kind &&
    change.catalogId === entry.catalogId &&
    sameMembers(change.fields, entry.fields) &&
    sameMembers(change.withheld.map(identifierKey), entry.withheld.map(identifierKey));
  if (same) return null;
  const withheld = change.withheld.map(({ reason }) => reason).join('; ');
  const now = withheld === '' ? `${change.kind}: ${change.reason}` : withheld;
  return `its identity is decided otherwise by now (${now})`;
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((member) => other.includes(member));
}
