import { STORE_OPTION, FULL_OPTION, JSON_OPTION } from './options.js';
import { Injectable } from '@nestjs/common';
import type { CommandChange } from '../operations/audit.js';
import { goneFrom, type PresentedGone } from '../operations/gone.js';
import { presentEntry, type PlanEntry } from '../operations/plans.js';
import { SyncCosts, type SyncCost } from '../operations/sync-cost.js';
import { SavedPlans } from '../sync/saved-plans.js';
import { Database } from '../persistence/database.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { PlanRepository } from '../persistence/plan.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { Clock } from '../runtime/clock.js';
import { Connections, type Store } from '../connections/connections.js';
import { dryRun, type DryRun } from '../sync/dry-run.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { ProgressReport } from './progress.js';
import { costLine } from './cost-line.js';
import type { StoreOptions } from './options.js';
import { paint, printable } from './terminal.js';

interface PlanOptions extends StoreOptions {
  readonly save?: boolean;
}

/** Plans without changing either side, and keeps the plan when `--save` asks for it. */
@Injectable()
class PlanAction {
  constructor(
    private readonly connections: Connections,
    private readonly savedPlans: SavedPlans,
    private readonly costs: SyncCosts,
    private readonly plans: PlanRepository,
    private readonly links: LinkRepository,
    private readonly state: StateRepository,
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  async run(options: PlanOptions, signal: AbortSignal): Promise<number> {
    const store = this.connections.store(options.store);
    const actions: PlanEntry[] = [];
    const made = await this.#plan(store, options, signal, (batch) => {
      actions.push(...batch.map((action) => kept(presentEntry(action, store.settings.writeBack), store)));
    });
    const { plan } = made;
    let { saved } = made;
    if (saved !== null && actions.length === 0) {
      // An empty plan has nothing to review or to apply.
      await this.plans.remove(saved);
      saved = null;
    }
    const gone = await stillGone(this.links, store, actions);
    const cost = await this.costs.estimate(store, actions);
    if (options.json) {
      printJson({
        ...(options.save ? { id: saved } : {}),
        store: store.key,
        ...plan,
        cost,
        actions,
        ...(gone === null ? {} : { gone }),
      });
    } else printPlan(store.key, { ...plan, cost }, actions, gone ?? [], saved);
    return actions.length === 0 ? 0 : 2;
  }

  async #plan(
    store: Store,
    { full = false, save = false }: PlanOptions,
    signal: AbortSignal,
    onActions: (batch: readonly SyncActionEntity[]) => void,
  ): Promise<{ plan: DryRun; saved: string | null }> {
    const progress = new ProgressReport(process.stderr);
    const request = {
      full,
      signal,
      onProgress: (seen: number) => {
        progress.show({ phase: 'plan', done: seen, total: null });
      },
      onActions,
    };
    try {
      if (!save)
        return {
          plan: await dryRun(
            { db: this.db, plans: this.plans, state: this.state, clock: this.clock },
            store,
            request,
          ),
          saved: null,
        };
      const saved = await this.savedPlans.draft(store.key);
      return { plan: await this.savedPlans.fill(saved, store.key, request), saved };
    } finally {
      progress.end();
    }
  }
}

export class PlanCommand extends StoreSyncCommand<PlanOptions> {
  override readonly options = [
    { flags: '--save', description: 'stores the plan for review; store-sync apply PLAN_ID applies it' },
    STORE_OPTION,
    FULL_OPTION,
    JSON_OPTION,
  ];

  /** Without `--save` the command only reads. */
  protected override change({ store, full, save }: PlanOptions): CommandChange | null {
    return save === true ? { what: 'plan save', targets: [store], details: { full: full ?? false } } : null;
  }

  protected async execute(options: PlanOptions): Promise<number> {
    const signal = interruptSignal();
    return this.withService(options, PlanAction, (action) => action.run(options, signal));
  }
}

/**
 * Products that earlier runs found to be gone and that this plan does not restore. They are shown for information
 * only.
 */
async function stillGone(
  links: LinkRepository,
  store: Store,
  actions: readonly PlanEntry[],
): Promise<readonly PresentedGone[] | null> {
  const gone = await goneFrom(links, store);
  if (gone === null) return null;
  const planned = new Set(actions.map(({ externalId }) => externalId));
  return gone.products.filter(({ externalId }) => !planned.has(externalId));
}

/** Says what happens to the catalog product only where the store's settings change it. */
function kept(entry: PlanEntry, { settings }: Store): PlanEntry {
  if (entry.kind !== 'orphan' || settings.deleted === 'keep') return entry;
  return { ...entry, reason: `${entry.reason}; the catalog keeps it` };
}

const SIGNS: Readonly<Record<SyncActionEntity['kind'], string>> = {
  create: '+',
  adopt: '=',
  update: '~',
  orphan: '-',
};

const COLOURS = { create: 'green', adopt: 'cyan', update: 'yellow', orphan: 'red' } as const;

function printPlan(
  store: string,
  plan: DryRun & { readonly cost: SyncCost },
  actions: readonly PlanEntry[],
  gone: readonly PresentedGone[],
  saved: string | null,
): void {
  for (const action of actions) {
    print(
      `${paint(COLOURS[action.kind], `${SIGNS[action.kind]} ${action.kind.padEnd(6)}`)} ${action.externalId}  ${printable(action.label)}: ${action.reason}`,
    );
    if (action.kind === 'update' && !action.generation) print('    no new text');
    if (action.mediaLost !== undefined)
      print(`    a generated description removes ${action.mediaLost}: see writeBack.keep`);
    for (const { reason, remedy } of action.withheld) {
      print(`    withheld: ${printable(reason, 400)}`);
      print(`      ${remedy}`);
    }
  }
  for (const { externalId, label, detail } of gone)
    print(`${paint('yellow', '! gone  ')} ${externalId}  ${printable(label)}: ${detail}`);
  const { counts } = plan;
  if (plan.incomplete !== null && plan.kind === 'full')
    print(`no product would be marked as gone: ${plan.incomplete}`);
  print(
    `${plan.kind} plan of ${store}: ${counts.seen} seen, ${counts.creates} to create, ${counts.updates} to update, ` +
      `${counts.orphans} gone, ${counts.unchanged} unchanged, ${counts.conflicted} conflicted; ${saved === null ? 'nothing was written' : 'nothing was changed on either side'}`,
  );
  print(costLine(plan.cost));
  if (saved !== null) print(`saved as ${saved}; apply it with: store-sync apply ${saved}`);
}
