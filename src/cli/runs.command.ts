import { actingUser, type CommandChange } from '../operations/audit.js';
import { isUnderWay, runQuerySchema, type PresentedRun } from '../operations/present-run.js';
import { runItemQuerySchema, type RunItemPage } from '../operations/run-items.js';
import { RunOperations } from '../operations/runs.js';
import { LIST_OPTIONS, parsedQuery, queryFrom, withoutOptions, type ListOptions } from './list-options.js';
import { StoreSyncCommand } from './command.js';
import { print, printJson, printPage } from './output.js';
import { runAccount } from './run-summary.js';
import { actionOf, idsFor, nothingMore, paint, paintState, printable } from './terminal.js';

const ACTIONS = ['list', 'show', 'cancel'] as const;

interface RunsOptions extends ListOptions {
  readonly outcome?: string;
  readonly search?: string;
}

export class RunsCommand extends StoreSyncCommand<RunsOptions> {
  override readonly args = { '[action]': 'list (default) | show ID | cancel ID', '[id]': 'id of a run' };
  override readonly options = [
    {
      flags: '--outcome <outcome>',
      description: 'show: only products with this outcome, for example failed or created',
    },
    {
      flags: '--search <text>',
      description: 'show: only products with this text in the title or external_id, or this SKU',
    },
    ...LIST_OPTIONS,
  ];

  protected override change(
    _options: RunsOptions,
    [action, ...ids]: readonly string[],
  ): CommandChange | null {
    return action === 'cancel' ? { what: 'sync cancel', targets: ids } : null;
  }

  protected async execute(options: RunsOptions, [given, ...ids]: readonly string[]): Promise<number> {
    const action = actionOf('runs', ACTIONS, given);
    if (action === 'list') {
      nothingMore('runs list', ids);
      withoutOptions('runs list', options, ['outcome', 'search']);
      const query = queryFrom(runQuerySchema, options);
      return this.withService(options, RunOperations, async (runs) => {
        printPage(await runs.list(query), 'runs', options, (run) => {
          print(`${run.id}  ${run.startedAt ?? 'not started'}  ${runAccount(run)}`);
        });
        return 0;
      });
    }
    const [id = '', ...more] = idsFor('runs', action, ids);
    nothingMore(`runs ${action} ID`, more);
    withoutOptions(`runs ${action} ID`, options, ['state']);
    if (action === 'cancel') return this.#cancel(options, id);
    const { limit, offset, outcome, search } = options;
    const query = parsedQuery(runItemQuerySchema, { limit, offset, outcome, search });
    return this.withService(options, RunOperations, async (runs) => {
      const [run, items] = [await runs.show(id), await runs.itemPage(id, query)];
      if (options.json) printJson({ ...run, items });
      else printRun(run, items);
      return 0;
    });
  }

  #cancel(options: RunsOptions, id: string): Promise<number> {
    return this.withService(options, RunOperations, async (runs) => {
      const run = await runs.cancel(id, actingUser());
      if (options.json) printJson(run);
      else print(isUnderWay(run) ? `run ${run.id} stops at its next safe point` : runAccount(run));
      return 0;
    });
  }
}

function printRun(run: PresentedRun, { items, total }: RunItemPage): void {
  print(runAccount(run));
  print(
    `  ${
      `requested by ${run.trigger}, from ${run.startedAt ?? 'not started'} to ${run.finishedAt ?? 'now'}; ` +
      `requests: ${run.requests.catalog} to the catalog, ${run.requests.store} to the store`
    }`,
  );
  for (const { step, startedAt, finishedAt } of run.steps)
    print(`  ${paint('dim', startedAt)}  ${step.padEnd(10)}  ${tookFrom(startedAt, finishedAt)}`);
  for (const { outcome, externalId, label, reason } of items)
    print(`  ${paintState(outcome, 10)}  ${externalId} ${printable(label)}: ${printable(reason, 400)}`);
  print(`${items.length} of ${total} outcomes of products`);
}

function tookFrom(startedAt: string, finishedAt: string | null): string {
  if (finishedAt === null) return 'not finished';
  return `${((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toFixed(1)} s`;
}
