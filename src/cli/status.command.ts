import { StatusReader, type Status, type StoreStatus } from '../operations/status.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { print, printJson } from './output.js';
import { runFailure } from './run-summary.js';
import { printable } from './terminal.js';
import { messages } from './messages.js';

interface StatusOptions extends CommonOptions {
  readonly json?: boolean;
}

export class StatusCommand extends StoreSyncCommand<StatusOptions> {
  protected async execute(options: StatusOptions): Promise<number> {
    return this.withReader(options, StatusReader, async (reader) => {
      const status = await reader.read({ allGone: options.json === true });
      if (options.json) printJson(status);
      else printStatus(status);
      return 0;
    });
  }
}

function printStatus(status: Status): void {
  for (const workspace of status.workspaces) {
    const credits =
      workspace.creditsRemaining === null ? messages.notKnown : String(workspace.creditsRemaining);
    print(
      `workspace ${workspace.workspace}: credits ${credits}${workspace.paused === null ? '' : `, PAUSED: ${workspace.paused}`}`,
    );
    if (workspace.webhook !== null) print(`  ${workspace.webhook}`);
  }
  for (const store of status.stores) printStore(store);
  if (status.stores.length === 0) print(messages.noStoresYet);
  const counts = ({ deliveries, writeBacks, tasks }: Status['backlog']): string =>
    messages.deadLetters(deliveries, writeBacks, tasks);
  print(`backlog: ${counts(status.backlog)}`);
  print(`dead letters: ${counts(status.deadLetters)}`);
}

function printStore(store: StoreStatus): void {
  const byState = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([state, count]) => `${String(count)} ${state}`)
      .join(', ') || 'none';
  print(`store ${store.store} (${store.shop}): products ${byState(store.products)}`);
  const { scope, since, nextTry, reason, state } = store.health;
  if (state === 'paused') {
    const unknown = messages.unknownTime;
    const why = printable(reason ?? '');
    print(`  ${messages.storePaused(scope ?? 'everything', since ?? unknown, nextTry ?? unknown, why)}`);
  }
  print(`  generation: ${byState(store.tasks)}; write-backs: ${byState(store.writeBacks)}`);
  if (store.owed.count > 0)
    print(`  ${messages.owed(store.owed.count, store.owed.since ?? messages.unknownTime)}`);
  for (const { count, reason } of store.owed.reasons) print(`    ${String(count)}: ${reason}`);
  for (const [limit, count] of Object.entries(store.held.limits))
    if (count > 0) print(`  ${messages.capped(count, limit)}`);
  if (Object.keys(store.held.gates).length > 0) print(`  ${messages.gated(byState(store.held.gates))}`);
  if (store.unmappedParts > 0) print(`  ${messages.unplacedValues(store.unmappedParts)}`);
  for (const [index, run] of store.lastRuns.entries()) {
    const figures = messages.runFigures(run.counts);
    // Only the newest run names a command that helps: later runs replace older ones.
    const why = (index === 0 ? runFailure(run) : null) ?? run.error;
    print(
      `  run ${run.id} ${run.kind} ${run.status} ${run.startedAt ?? messages.notStarted}: ${figures}${why === null ? '' : ` (${why})`}`,
    );
  }
  for (const { externalId, state, reason } of store.unsuccessful)
    print(`  ${state} ${externalId}: ${reason ?? messages.noReason}`);
  if (store.gone !== null && store.gone.count > 0) printGone(store.gone);
}

function printGone({ count, products }: NonNullable<StoreStatus['gone']>): void {
  print(`  ${messages.goneCount(count)}`);
  for (const { externalId, label, catalogId, since } of products)
    print(
      `    ${externalId}  ${printable(label)}: ${messages.goneProduct(catalogId ?? 'unknown', since ?? messages.unknownTime)}`,
    );
  if (count > products.length) print(`    ${messages.moreGone(count - products.length)}`);
}
