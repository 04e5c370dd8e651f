import { STORE_OPTION, FULL_OPTION, JSON_OPTION } from './options.js';
import type { CommandChange } from '../operations/audit.js';
import type { PlanEntry } from '../operations/plans.js';
import { DryRuns, type ShownPlan } from '../operations/dry-runs.js';
import { planned } from './progress.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { costLine } from './cost-line.js';
import type { StoreOptions } from './options.js';
import { paint, printable } from './terminal.js';

interface PlanOptions extends StoreOptions {
  readonly full?: boolean;
  readonly save?: boolean;
}

export class PlanCommand extends StoreSyncCommand<PlanOptions> {
  override readonly options = [
    { flags: '--save', description: 'stores the plan for review; store-sync apply PLAN_ID applies it' },
    STORE_OPTION,
    FULL_OPTION,
    JSON_OPTION,
  ];

  /** Nothing is recorded without `--save`: the command only reads then. */
  protected override change({ store, full, save }: PlanOptions): CommandChange | null {
    return save === true ? { what: 'plan save', targets: [store], details: { full: full ?? false } } : null;
  }

  protected async execute(options: PlanOptions): Promise<number> {
    const signal = interruptSignal();
    const { store, full = false, save = false, json } = options;
    return this.withService(options, DryRuns, async (dryRuns) => {
      const plan = await planned((onProgress) => dryRuns.plan(store, { full, save, signal, onProgress }));
      const { saved, actions, gone, cost, ...made } = plan;
      if (json)
        printJson({
          ...(save ? { id: saved } : {}),
          store,
          ...made,
          cost,
          actions,
          ...(gone === null ? {} : { gone }),
        });
      else printPlan(store, plan);
      return actions.length === 0 ? 0 : 2;
    });
  }
}

const SIGNS: Readonly<Record<PlanEntry['kind'], string>> = {
  create: '+',
  adopt: '=',
  update: '~',
  orphan: '-',
};

const COLOURS = { create: 'green', adopt: 'cyan', update: 'yellow', orphan: 'red' } as const;

function printPlan(store: string, plan: ShownPlan): void {
  const { actions, gone, saved } = plan;
  const titles = new Map(actions.map(({ externalId, label }) => [externalId, label]));
  const withTitles = (reason: string): string =>
    reason
      .split(/(, | )/)
      .map((word) => titles.get(word) ?? word)
      .join('');
  for (const action of actions) {
    print(
      `${paint(COLOURS[action.kind], `${SIGNS[action.kind]} ${action.kind.padEnd(6)}`)} ${action.externalId}  ${printable(action.label)}: ${action.reason}`,
    );
    if (action.kind === 'update' && !action.generation) print('    no new text');
    if (action.mediaLost !== undefined)
      print(`    a generated description removes ${action.mediaLost}: see writeBack.keep`);
    for (const { reason, remedy } of action.withheld) {
      print(`    withheld: ${printable(withTitles(reason), 400)}`);
      print(`      ${remedy}`);
    }
  }
  for (const { externalId, label, detail } of gone ?? [])
    print(`${paint('yellow', '! gone  ')} ${externalId}  ${printable(label)}: ${detail}`);
  const { counts } = plan;
  if (plan.incomplete !== null && plan.kind === 'full')
    print(`no product would be marked as gone: ${plan.incomplete}`);
  print(
    `${plan.kind} plan of ${store}: ${counts.seen} seen, ${counts.creates} to create, ${counts.updates} to update, ` +
      `${counts.orphans} gone, ${counts.unchanged} unchanged, ${counts.conflicted} with a shared SKU; ${saved === null ? 'nothing was written' : 'nothing was changed on either side'}`,
  );
  print(costLine(plan.cost));
  if (saved !== null) print(`saved as ${saved}; apply it with: store-sync apply ${saved}`);
}
