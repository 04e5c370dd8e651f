import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CodedError, errorLine } from '../domain/errors.js';
import { NO_COUNTS } from '../domain/run-counts.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { SourceProduct } from '../domain/store-port.js';
import { Database } from '../persistence/database.js';
import type { SavedPlanEntity, SyncActionEntity } from '../persistence/entities/index.js';
import type { RunTrigger } from '../persistence/entities/sync-run.entity.js';
import { plannedAction, type NewAction, type PlannedAction } from '../persistence/plan-rows.js';
import { PlanTransaction } from '../persistence/plan-transaction.js';
import {
  SavedPlanRepository,
  type EntryStanding,
  type Refusal,
  type ResolvedAction,
  type ResolvedEntry,
} from '../persistence/saved-plan.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { filledFields, identifierKey, identifiersOf } from '../planner/map-to-catalog.js';
import { reasonOutOfScope } from '../planner/scope.js';
import { effectiveSnapshot, seenFields, sourceFingerprint } from '../planner/source.js';
import { Sites, type Store } from '../sites/sites.js';
import { Clock } from '../runtime/clock.js';
import { dryRun, type DryRun } from './dry-run.js';
import { resolveIdentities } from './resolve-identities.js';

export interface SaveOptions {
  readonly full: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (seen: number) => void;
  readonly onActions: (actions: readonly SyncActionEntity[]) => void;
}

export interface AppliedPlan {
  readonly runId: string;
  readonly entries: number;
  readonly refused: number;
}

/** Products per request when entries are compared with the live store. */
const BATCH = 50;

/** Plans that are stored for review and applied later (docs/decisions/0022-saved-plans-are-exact.md). */
@Injectable()
export class SavedPlans {
  constructor(
    private readonly db: Database,
    private readonly sites: Sites,
    private readonly state: StateRepository,
    private readonly plans: SavedPlanRepository,
    private readonly clock: Clock,
  ) {}

  /** An empty draft, made before the store is read. Throws `misconfigured` for an unknown store. */
  async draft(storeKey: string): Promise<string> {
    const store = this.sites.store(storeKey);
    return this.plans.begin(store.key, store.workspace.key);
  }

  /** Plans like a dry run and stores the result in the draft. If planning fails, the draft has the reason. */
  async fill(planId: string, storeKey: string, options: SaveOptions): Promise<DryRun> {
    const store = this.sites.store(storeKey);
    const { plans, db, state, clock } = this;
    try {
      const plan = await dryRun({ db, state, clock }, store, {
        ...options,
        onActions: async (actions) => {
          await plans.addEntries(planId, actions);
          options.onActions(actions);
        },
      });
      await plans.finish(planId, plan);
      return plan;
    } catch (error) {
      await plans.fail(planId, errorLine(error));
      throw error;
    }
  }

  /**
   * Turns a saved plan into a run with exactly its entries. An entry that is no longer valid becomes a failed action
   * with the reason. The run starts in its apply phase. The share limits are ignored, because a person saw the plan.
   * Throws `not_found` for an unknown plan, and `conflict` when it was already applied or the store has an active
   * run.
   */
  async apply(planId: string, trigger: RunTrigger, signal: AbortSignal): Promise<AppliedPlan> {
    const plan = await this.#applicable(planId);
    const store = this.sites.store(plan.store);
    const run = { id: randomUUID(), store: plan.store, workspace: plan.workspace };
    const transaction = await PlanTransaction.begin(this.db, run, { dry: true });
    try {
      const tally = await this.#take(transaction, store, plan, signal);
      await resolveIdentities(transaction, store, { since: null, clock: this.clock, signal });
      const moved = await this.#movedIdentities(transaction, plan, run.id, tally.refusals);
      const refusals = [...tally.refusals, ...moved];
      await this.plans.refuse(transaction.transaction, plan.id, run, refusals);
      const { conflicted } = await transaction.actions.counts();
      await this.plans.commitRun(transaction.transaction, plan, {
        id: run.id,
        trigger,
        // Each product of the run once. A refused orphan counts as seen.
        counts: { ...NO_COUNTS, seen: tally.products + tally.refusedOrphans, conflicted },
      });
      return { runId: run.id, entries: tally.entries, refused: refusals.length };
    } finally {
      await transaction.end();
    }
  }

  async #applicable(planId: string): Promise<SavedPlanEntity> {
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

  /** Valid entries become actions of the run. The others are returned with the change that made them invalid. */
  async #take(
    transaction: PlanTransaction,
    store: Store,
    plan: SavedPlanEntity,
    signal: AbortSignal,
  ): Promise<{ entries: number; products: number; refusedOrphans: number; refusals: Refusal[] }> {
    const tally = { entries: 0, products: 0, refusedOrphans: 0, refusals: [] as Refusal[] };
    for (let after = '0'; ;) {
      signal.throwIfAborted();
      const entries = await this.plans.standing(plan.id, after, BATCH);
      if (entries.length === 0) return tally;
      const live = await store.connector.readProducts(entries.map((entry) => entry.storeId));
      const actions: PlannedAction[] = [];
      for (const [index, entry] of entries.entries()) {
        tally.entries += 1;
        if (entry.kind !== 'orphan') tally.products += 1;
        const verdict = judged(entry, live[index] ?? null, store);
        if (typeof verdict !== 'string') actions.push(plannedAction(verdict));
        else {
          tally.refusals.push({ position: entry.position, reason: verdict });
          if (entry.kind === 'orphan') tally.refusedOrphans += 1;
        }
      }
      await transaction.actions.add(actions);
      after = entries.at(-1)?.position ?? after;
    }
  }

  /** Entries that now need another action or other identifiers because of other products or the catalog. */
  async #movedIdentities(
    transaction: PlanTransaction,
    plan: SavedPlanEntity,
    runId: string,
    refused: readonly Refusal[],
  ): Promise<Refusal[]> {
    const known = new Set(refused.map(({ position }) => position));
    const resolved = await this.plans.resolved(transaction.transaction, plan.id, runId);
    return resolved.flatMap(({ entry, action }) => {
      const reason = known.has(entry.position) ? null : movedIdentity(entry, action);
      return reason === null ? [] : [{ position: entry.position, reason }];
    });
  }
}

/** The entry as a new action whose identity is checked again, or the change since it was planned. */
function judged(entry: EntryStanding, found: SourceProduct | null, store: Store): NewAction | string {
  if (entry.writing) return 'a write-back of the product is under way';
  if (entry.actedSince || entry.linkMoved)
    return 'another run has dealt with the product since the plan was made';
  if (entry.kind === 'orphan') {
    return found === null ? orphaned(entry) : 'the product is in the store again';
  }
  if (found === null) return 'the product is no longer in the store';
  const live = snapshotOrReason(found);
  if (typeof live === 'string') return live;
  const outOfScope = reasonOutOfScope(live, store.settings.filter);
  if (outOfScope !== null) return `the product is left out now: ${outOfScope}`;
  const source = sourceFingerprint(effectiveSnapshot(live, entry.written), store.rules);
  if (source !== entry.sourceFingerprint || entry.body === null)
    return 'the product was changed in the store since the plan was made';
  // An adoption is a creation with a settled identity, so it is decided again from the start.
  const again =
    entry.kind === 'adopt'
      ? ({ kind: 'create', catalogId: null, fields: filledFields(entry.body) } as const)
      : ({ kind: entry.kind, catalogId: entry.catalogId, fields: entry.fields } as const);
  return {
    ...again,
    externalId: entry.externalId,
    storeId: entry.storeId,
    label: entry.label,
    reason: entry.reason,
    body: entry.body,
    withheld: entry.withheld,
    sourceFingerprint: source,
    // The present product: a write-back must not compare with an older read.
    seen: seenFields(live),
    wantsGeneration: entry.wantsGeneration,
    recreated: again.kind === 'create' && entry.kind === 'create' && entry.linkCatalogId !== null,
    identifiers: identifiersOf(entry.body),
  };
}

/** A malformed product refuses its own entry alone. */
function snapshotOrReason(product: SourceProduct): ProductSnapshot | string {
  try {
    return product.snapshot();
  } catch (error) {
    return `the product cannot be read now: ${errorLine(error)}`;
  }
}

function orphaned(entry: EntryStanding): NewAction {
  const { kind, externalId, storeId, label, catalogId, reason } = entry;
  const nothing = { fields: [], body: null, withheld: [], sourceFingerprint: null, seen: {} };
  const common = {
    externalId,
    storeId,
    label,
    catalogId,
    reason,
    wantsGeneration: false,
    identifiers: null,
    recreated: false,
  };
  return { kind, ...common, ...nothing };
}

function movedIdentity(entry: ResolvedEntry, action: ResolvedAction | null): string | null {
  if (action === null) return 'nothing of it is left to do: its identifiers are withheld by now';
  const same =
    action.kind === entry.kind &&
    action.catalogId === entry.catalogId &&
    sameMembers(action.fields, entry.fields) &&
    sameMembers(action.withheld.map(identifierKey), entry.withheld.map(identifierKey));
  if (same) return null;
  const withheld = action.withheld.map(({ reason }) => reason).join('; ');
  const now = withheld === '' ? `${action.kind}: ${action.reason}` : withheld;
  return `its identity is decided otherwise by now (${now})`;
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((member) => other.includes(member));
}
