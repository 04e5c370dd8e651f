import { Injectable } from '@nestjs/common';
import { Connections } from '../connections/connections.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import type { DryRun, DryRunOptions } from '../sync/dry-run.js';
import { SavedPlans } from '../sync/saved-plans.js';
import { goneFrom, type PresentedGone } from './deleted-products.js';
import { presentEntry, type PlanEntry } from './plans.js';
import { SyncCosts, type SyncCost } from './sync-cost.js';

type Following = Omit<DryRunOptions, 'onActions'>;

/** What a sync would do now. */
export interface ShownPlan extends DryRun {
  /** The id of the plan that was kept for review; null for a plan that was not to be kept, and for an empty one. */
  readonly saved: string | null;
  readonly cost: SyncCost;
  readonly actions: readonly PlanEntry[];
  /** Products that earlier runs found to be gone and that this plan does not restore; null where the store's settings hide them. */
  readonly gone: readonly PresentedGone[] | null;
}

/** Plans a sync for a person who waits. Neither side is changed. */
@Injectable()
export class DryRuns {
  constructor(
    private readonly connections: Connections,
    private readonly plans: SavedPlans,
    private readonly costs: SyncCosts,
    private readonly links: LinkRepository,
  ) {}

  /** Throws `not_found` for an unknown store. `save`: keeps the plan for review. */
  async plan(storeKey: string, { save, ...following }: Following & { save: boolean }): Promise<ShownPlan> {
    const store = this.connections.namedStore(storeKey);
    const actions: PlanEntry[] = [];
    const onActions = (batch: readonly SyncActionEntity[]): void => {
      actions.push(...batch.map((each) => presentEntry(each, store.settings)));
    };
    const draft = save ? await this.plans.draft(store.key) : null;
    const request = { ...following, onActions };
    const plan =
      draft === null
        ? await this.plans.dryRun(store.key, request)
        : await this.plans.fill(draft, store.key, request);
    // An empty plan has nothing to review or to apply.
    const isEmpty = actions.length === 0;
    if (draft !== null && isEmpty) await this.plans.discard(draft);
    const gone = await goneFrom(this.links, store);
    const planned = new Set(actions.map(({ externalId }) => externalId));
    return {
      ...plan,
      saved: isEmpty ? null : draft,
      cost: await this.costs.estimate(store, actions),
      actions,
      gone: gone?.products.filter(({ externalId }) => !planned.has(externalId)) ?? null,
    };
  }

  /** What a sync would cost now. Throws `not_found` for an unknown store. */
  async cost(storeKey: string, following: Following): Promise<SyncCost> {
    const store = this.connections.namedStore(storeKey);
    const planned: { externalId: string; generation: boolean }[] = [];
    await this.plans.dryRun(store.key, {
      ...following,
      onActions: (actions) => {
        for (const { externalId, wantsGeneration } of actions)
          planned.push({ externalId, generation: wantsGeneration });
      },
    });
    return this.costs.estimate(store, planned);
  }
}
