import { Command } from 'nest-commander';
import type { Page } from '../operations/paging.js';
import {
  WriteBackOperations,
  writeBackQuerySchema,
  type PresentedWriteBack,
  type WriteBackField,
} from '../operations/write-backs.js';
import type { CommandChange } from '../operations/audit.js';
import { print, printJson } from './output.js';
import { ListCommand, queryFrom, reportOutcomes, type ListOptions } from './list-options.js';
import { actionOf, idsFor, nothingMore, paintState, printable, quoted } from './terminal.js';
import { messages } from './messages.js';

const ACTIONS = ['list', 'approve', 'reject', 'revert'] as const;

@Command({
  name: 'write-backs',
  description: messages.writeBacksDoes,
  arguments: '[action] [ids...]',
  argsDescription: {
    action: messages.writeBackActions,
    ids: messages.writeBackIds,
  },
})
export class WriteBacksCommand extends ListCommand {
  protected override change(
    _options: ListOptions,
    [action = '', ...ids]: readonly string[],
  ): CommandChange | null {
    const changes = ['approve', 'reject', 'revert'].includes(action);
    return changes ? { what: `write-back ${action}`, targets: ids } : null;
  }

  protected async execute(options: ListOptions, [given, ...ids]: readonly string[]): Promise<number> {
    const action = actionOf('write-backs', ACTIONS, given);
    if (action === 'list') nothingMore('write-backs list', ids);
    else idsFor('write-backs', action, ids);
    const query = queryFrom(writeBackQuerySchema, options);
    return this.withService(options, WriteBackOperations, async (writeBacks) => {
      if (action !== 'list') return reportOutcomes(await writeBacks.decide(ids, action), options.json);
      const page = await writeBacks.list(query);
      if (options.json) printJson(page);
      else printList(page);
      return 0;
    });
  }
}

function printList(page: Page<PresentedWriteBack>): void {
  for (const writeBack of page.items) {
    const { id, createdAt, state, externalId, reason, fields } = writeBack;
    print(
      `${id}  ${createdAt}  ${paintState(state, 14)}  ${externalId}${reason === null ? '' : `: ${printable(reason)}`}`,
    );
    for (const field of fields) print(`    ${fieldLine(field)}`);
  }
  print(messages.writeBacksShown(page.items.length, page.total));
}

/** A field's value before and after, or the intended value. */
export function fieldLine({ target, outcome, reason, before, after, intended }: WriteBackField): string {
  switch (outcome) {
    case null:
      return `${target}: to become ${quoted(intended, 80)}`;
    case 'written':
      return `${target}: ${quoted(before, 60)} -> ${quoted(after, 60)}`;
    case 'reverted':
      return `${target}: reverted to ${quoted(before, 80)}`;
    default:
      return `${target}: ${outcome} (${printable(reason ?? messages.noReason)})`;
  }
}
