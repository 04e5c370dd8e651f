import { JSON_OPTION, type JsonOptions } from './options.js';
import type { CommandChange } from '../operations/audit.js';
import { WebhookSlotOperations, type Slot } from '../operations/webhook-slots.js';
import { StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { actionOf, nothingMore, paintState, printable } from './terminal.js';
import { reportFailure } from './report.js';

interface WebhookOptions extends JsonOptions {
  readonly workspace?: string;
  readonly force?: boolean;
}

const ACTIONS = ['show', 'register', 'remove'] as const;

export class WebhookCommand extends StoreSyncCommand<WebhookOptions> {
  override readonly args = { '[action]': 'show (default) | register | remove' };
  override readonly options = [
    { flags: '--workspace <key>', description: 'only this workspace, by its key in the configuration' },
    { flags: '--force', description: 'replaces or removes a URL of another system, too' },
    JSON_OPTION,
  ];

  protected override change(
    { workspace, force }: WebhookOptions,
    [action = 'show']: readonly string[],
  ): CommandChange | null {
    if (action === 'show') return null;
    const targets = workspace === undefined ? [] : [workspace];
    return { what: `webhook ${action}`, targets, details: { force: force ?? false } };
  }

  protected async execute(options: WebhookOptions, [given, ...rest]: readonly string[]): Promise<number> {
    const action = actionOf('webhook', ACTIONS, given);
    nothingMore(`webhook ${action}`, rest);
    return this.withService(options, WebhookSlotOperations, async (operations) => {
      const request = { workspace: options.workspace, force: options.force ?? false };
      const slots =
        action === 'show' ? await operations.show(request.workspace) : await operations[action](request);
      if (options.json) printJson({ items: slots });
      else
        for (const { workspace, state, detail } of slots)
          print(`workspace ${workspace}: ${paintState(state)}: ${printable(detail, 400)}`);
      return exitStatus(action, slots);
    });
  }
}

/**
 * 0 when every slot has the requested state. Showing another system's URL is not a failure; being unable to read the
 * slot is.
 */
function exitStatus(action: (typeof ACTIONS)[number], slots: readonly Slot[]): number {
  const wanted = { show: ['ours', 'outdated', 'free', 'foreign'], register: ['ours'], remove: ['free'] }[
    action
  ];
  const failed = slots.filter((slot) => !wanted.includes(slot.state));
  if (failed.length === 0) return 0;
  const lines = failed.map(({ workspace, state, detail }) => {
    const todo =
      state === 'foreign' && action !== 'show'
        ? `; --force ${action === 'remove' ? 'removes' : 'replaces'} it`
        : '';
    return `workspace ${workspace}: ${printable(detail, 400)}${todo}`;
  });
  reportFailure(lines.join('; '));
  return 1;
}
