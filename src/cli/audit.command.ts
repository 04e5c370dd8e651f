import { JSON_OPTION, type JsonOptions } from './options.js';
import { AuditOperations, detailLine } from '../operations/audit.js';
import { PAGE_LIMIT } from '../operations/paging.js';
import { StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { printable } from './terminal.js';

const TARGETS_SHOWN = 5;

export class AuditCommand extends StoreSyncCommand<JsonOptions> {
  override readonly options = [JSON_OPTION];

  protected async execute(options: JsonOptions): Promise<number> {
    return this.withService(options, AuditOperations, async (audit) => {
      const page = await audit.list({ limit: PAGE_LIMIT, offset: 0, order: 'desc' });
      if (options.json) {
        printJson(page);
        return 0;
      }
      for (const { at, actor, role, via, address, what, targets, details, outcome } of page.items) {
        const who = `${actor}${role === null ? '' : ` (${role})`} by ${via}${address === null ? '' : ` from ${address}`}`;
        const shown = targets.slice(0, TARGETS_SHOWN).join(' ');
        const more =
          targets.length > TARGETS_SHOWN ? ` and ${String(targets.length - TARGETS_SHOWN)} more` : '';
        const how = detailLine(details);
        print(
          printable(
            `${at}  ${outcome}  ${what} ${shown}${more}${how === '' ? '' : ` (${how})`}  ${who}`,
            400,
          ),
        );
      }
      if (page.items.length === 0) print('no changes are recorded');
      return 0;
    });
  }
}
