import { JSON_OPTION, type JsonOptions } from './options.js';
import { counted } from '../domain/text.js';
import { StatusReader, type Status, type StoreStatus } from '../operations/status.js';
import { failureReason } from '../operations/product-status-text.js';
import { countedStates, LINK_WORDS, words } from '../operations/state-words.js';
import { StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { runFailure } from './run-summary.js';
import { printable } from './terminal.js';

const TASK_WORDS: Readonly<Record<string, string>> = { succeeded: 'generated', abandoned: 'given up' };
const UNKNOWN_TIME = 'an unknown time';

export class StatusCommand extends StoreSyncCommand<JsonOptions> {
  override readonly options = [JSON_OPTION];

  protected async execute(options: JsonOptions): Promise<number> {
    return this.withService(options, StatusReader, async (reader) => {
      const status = await reader.read({ allGone: options.json === true });
      if (options.json) printJson(status);
      else printStatus(status);
      return 0;
    });
  }
}

function printStatus(status: Status): void {
  for (const workspace of status.workspaces) {
    const credits = workspace.creditsRemaining === null ? 'not known' : String(workspace.creditsRemaining);
    print(
      `workspace ${workspace.workspace}: credits ${credits}${workspace.paused === null ? '' : `, PAUSED: ${printable(workspace.paused, 400)}`}`,
    );
    if (workspace.webhook !== null) print(`  ${printable(workspace.webhook, 400)}`);
  }
  for (const store of status.stores) printStore(store);
  if (status.stores.length === 0)
    print('There are no stores yet. Configure one by store-sync init, or let a merchant install the app.');
  const counts = ({ deliveries, writeBacks, tasks }: Status['backlog']): string =>
    `${counted(deliveries, 'delivery', 'deliveries')}, ${counted(writeBacks, 'write-back')}, ${counted(tasks, 'generation task')}`;
  print(`backlog: ${counts(status.backlog)}`);
  print(`failed for good: ${counts(status.deadLetters)}`);
}

function printStore(store: StoreStatus): void {
  print(`store ${store.store} (${store.shop}): products ${countedStates(store.products, LINK_WORDS)}`);
  const { scope, since, nextTry, reason, state } = store.health;
  if (state === 'paused') {
    const unknown = UNKNOWN_TIME;
    const why = printable(reason ?? '');
    print(
      `  PAUSED (${scope ?? 'everything'}) since ${since ?? unknown}, next try ${nextTry ?? unknown}: ${why}`,
    );
  }
  if (store.servedApiVersion !== null)
    print(
      `  the store has retired the configured apiVersion and serves ${store.servedApiVersion}: set apiVersion to it`,
    );
  print(
    `  generation: ${countedStates(store.tasks, TASK_WORDS)}; write-backs: ${countedStates(store.writeBacks)}`,
  );
  if (store.owed.count > 0)
    print(
      `  put off to the next run: ${store.owed.count}, the oldest since ${store.owed.since ?? UNKNOWN_TIME}`,
    );
  for (const { count, reason } of store.owed.reasons) print(`    ${String(count)}: ${reason}`);
  for (const [limit, count] of Object.entries(store.held.limits))
    if (count > 0) print(`  ${counted(count, 'write waits', 'writes wait')}: limits.${limit} is reached`);
  if (Object.keys(store.held.gates).length > 0)
    print(`  held back by gates: ${countedStates(store.held.gates)}`);
  if (store.unmappedParts > 0)
    print(
      `  ${counted(store.unmappedParts, 'generated value of the last 30 days is', 'generated values of the last 30 days are')} not written: choose where by writeBack.fields, writeBack.attributes or writeBack.sections`,
    );
  for (const [index, run] of store.lastRuns.entries()) {
    const figures = `${run.counts.seen} seen, ${run.counts.created} created, ${run.counts.updated} updated, ${run.counts.failed} failed`;
    // Only the newest run names a command that helps: later runs replace older ones.
    const why = (index === 0 ? runFailure(run) : null) ?? run.error;
    print(
      `  run ${run.id} ${run.kind} ${run.status} ${run.startedAt ?? 'not started'}: ${figures}${why === null ? '' : ` (${printable(why, 400)})`}`,
    );
  }
  for (const { externalId, state, reason } of store.unsuccessful)
    print(`  ${externalId}: ${TASK_WORDS[state] ?? words(state)}: ${printable(failureReason(reason), 400)}`);
  if (store.gone !== null && store.gone.count > 0) printGone(store.gone);
}

function printGone({ count, products }: NonNullable<StoreStatus['gone']>): void {
  print(`  gone from the store, kept in the catalog: ${count}`);
  for (const { externalId, label, catalogId, since } of products)
    print(
      `    ${externalId}  ${printable(label)}: catalog product ${catalogId ?? 'unknown'}, gone since ${since ?? UNKNOWN_TIME}`,
    );
  if (count > products.length) print(`    and ${count - products.length} more; --json lists all of them`);
}
