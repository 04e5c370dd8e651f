import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CreditRepository } from '../persistence/credit.repository.js';
import { HistoryRepository } from '../persistence/history.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { creditRoom } from '../planner/credit-room.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { Store } from '../connections/connections.js';

export const syncCostSchema = z.object({
  generations: z.int().describe('products for which the sync would request content'),
  waiting: z.int().describe('products that a limit leaves to later runs'),
  limitedBy: z
    .enum(['generation.mode', 'generation.maxPerRun', 'generation.minCreditsRemaining'])
    .nullable()
    .describe('the setting that leaves products to later runs'),
  creditsEach: z
    .number()
    .nullable()
    .describe('the mean of the last results; null while none named its credits'),
  credits: z.number().nullable().describe('of all generations together'),
  creditsRemaining: z.number().nullable().describe('as the service last reported'),
});
/** The cost of a sync. An estimate: the service decides, and may charge failed generations otherwise. */
export type SyncCost = z.output<typeof syncCostSchema>;

export interface CostFacts {
  /** Products that want content: of the plan, and those that earlier runs left over. */
  readonly wanted: number;
  readonly settings: Pick<
    Store['workspace']['settings']['generation'],
    'mode' | 'maxPerRun' | 'minCreditsRemaining'
  >;
  readonly creditsEach: number | null;
  readonly creditsRemaining: number | null;
  /** Requests of the workspace without a result. */
  readonly open: number;
}

/** The cost under the limits of `generation`. Pure. */
export function costOf({ wanted, settings, creditsEach, creditsRemaining, open }: CostFacts): SyncCost {
  const { mode, maxPerRun, minCreditsRemaining } = settings;
  const affordable = creditRoom({
    remaining: creditsRemaining,
    minimum: minCreditsRemaining,
    each: creditsEach,
    open,
  });
  const generations = mode === 'off' ? 0 : Math.min(wanted, maxPerRun, affordable);
  const limit = mode === 'off' ? 'mode' : affordable < maxPerRun ? 'minCreditsRemaining' : 'maxPerRun';
  return {
    generations,
    waiting: wanted - generations,
    limitedBy: wanted > generations ? `generation.${limit}` : null,
    creditsEach,
    credits: creditsEach === null ? null : creditsEach * generations,
    creditsRemaining,
  };
}

/** Estimates what a sync would cost before it begins. */
@Injectable()
export class SyncCosts {
  constructor(
    private readonly links: LinkRepository,
    private readonly history: HistoryRepository,
    private readonly credits: CreditRepository,
    private readonly state: StateRepository,
    private readonly tasks: TaskRepository,
  ) {}

  /** The cost of content for all products that lack it. */
  async ofMissing({ key, workspace }: Pick<Store, 'key' | 'workspace'>): Promise<SyncCost> {
    return this.ofProducts(workspace, await this.history.countToGenerate(key));
  }

  /** `planned`: the products of the plan, and whether each wants content. */
  async estimate(
    { key, workspace }: Pick<Store, 'key' | 'workspace'>,
    planned: readonly { readonly externalId: string; readonly generation: boolean }[],
  ): Promise<SyncCost> {
    const leftOver = await this.links.countGenerationDue(
      key,
      planned.map(({ externalId }) => externalId),
    );
    return this.ofProducts(workspace, planned.filter(({ generation }) => generation).length + leftOver);
  }

  /** The cost of content for so many products. */
  async ofProducts(workspace: Store['workspace'], wanted: number): Promise<SyncCost> {
    const [creditsEach, known, open] = await Promise.all([
      this.credits.perGeneration(workspace.key),
      this.state.workspace(workspace.key),
      this.tasks.countOpen(workspace.key),
    ]);
    return costOf({
      wanted,
      settings: workspace.settings.generation,
      creditsEach,
      creditsRemaining: known?.creditsRemaining ?? null,
      open,
    });
  }
}
