import { counted } from '../domain/text.js';
import type { CommandChange } from '../operations/audit.js';
import {
  DeliveryOperations,
  deliveryQuerySchema,
  type DeliveryDetail,
  type DeliverySummary,
} from '../operations/deliveries.js';
import { StoreSyncCommand } from './command.js';
import { jsonText, print, printJson, printPage } from './output.js';
import { LIST_OPTIONS, queryFrom, reportOutcomes, withoutOptions, type ListOptions } from './list-options.js';
import { actionOf, idsFor, nothingMore, paintState, printable } from './terminal.js';

const ACTIONS = ['list', 'show', 'replay'] as const;

export class DeliveriesCommand extends StoreSyncCommand<ListOptions> {
  override readonly args = {
    '[action]': 'list (default) | show ID | replay ID…',
    '[ids...]': 'ids of deliveries',
  };
  override readonly options = LIST_OPTIONS;

  protected override change(
    _options: ListOptions,
    [action, ...ids]: readonly string[],
  ): CommandChange | null {
    return action === 'replay' ? { what: 'delivery replay', targets: ids } : null;
  }

  protected async execute(options: ListOptions, [given, ...ids]: readonly string[]): Promise<number> {
    const action = actionOf('deliveries', ACTIONS, given);
    if (action === 'list') nothingMore('deliveries list', ids);
    else withoutOptions(`deliveries ${action} ID`, options, ['state', 'limit', 'offset']);
    const query = queryFrom(deliveryQuerySchema, options);
    if (action === 'replay')
      return this.withService(options, DeliveryOperations, async (deliveries) =>
        reportOutcomes(await deliveries.replay(idsFor('deliveries', action, ids)), options.json),
      );
    return this.withService(options, DeliveryOperations, async (deliveries) => {
      if (action === 'list')
        printPage(await deliveries.list(query), 'deliveries', options, (delivery) => {
          print(lineOf(delivery));
        });
      else
        for (const delivery of await shown(deliveries, idsFor('deliveries', action, ids), options.json))
          printDelivery(delivery);
      return 0;
    });
  }
}

/** With `--json`, prints one document: an array only when several ids were given. */
async function shown(
  deliveries: DeliveryOperations,
  ids: readonly string[],
  json: boolean | undefined,
): Promise<DeliveryDetail[]> {
  const found: DeliveryDetail[] = [];
  for (const id of ids) found.push(await deliveries.show(id));
  if (!json) return found;
  printJson(found.length === 1 ? found[0] : found);
  return [];
}

function lineOf({ id, receivedAt, state, via, action, externalId, label, note }: DeliverySummary): string {
  const what = [action ?? 'unreadable', externalId, label].filter((part) => part !== null).join(' ');
  return `${id}  ${receivedAt}  ${paintState(state, 9)}  ${via.padEnd(7)}  ${printable(what, 120)}${note === null ? '' : `: ${printable(note)}`}`;
}

function printDelivery(delivery: DeliveryDetail): void {
  print(lineOf(delivery));
  print(
    `  workspace ${delivery.workspace}, task ${delivery.taskId ?? 'unknown'}, ${counted(delivery.attempts, 'attempt')}, ${counted(delivery.bytes, 'byte')}${delivery.text === null ? '' : ', the beginning as text'}`,
  );
  for (const [name, value] of Object.entries(delivery.headers)) print(`  ${name}: ${printable(value)}`);
  print(delivery.text === null ? jsonText(delivery.body) : printable(delivery.text, 4000));
}
