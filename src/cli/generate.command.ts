import { counted } from '../domain/text.js';
import { STORE_OPTION, JSON_OPTION, type StoreOptions } from './options.js';
import type { CommandChange } from '../operations/audit.js';
import { GenerateOperations } from '../operations/generate.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { reportFailure } from './report.js';

interface GenerateOptions extends StoreOptions {
  readonly force?: boolean;
}

export class GenerateCommand extends StoreSyncCommand<GenerateOptions> {
  override readonly args = {
    '[ids...]': 'external_ids, SKUs, barcodes or handles; default: all products without content',
  };
  override readonly options = [
    STORE_OPTION,
    { flags: '--force', description: 'also products whose generation succeeded' },
    JSON_OPTION,
  ];

  protected override change({ store, force }: GenerateOptions, ids: readonly string[]): CommandChange {
    return { what: 'generate', targets: [store, ...ids], details: { force: force ?? false } };
  }

  protected async execute(options: GenerateOptions, ids: readonly string[]): Promise<number> {
    const signal = interruptSignal();
    return this.withService(options, GenerateOperations, async (operations) => {
      const request = { store: options.store, ids, force: options.force ?? false };
      const answer = await operations.generate(request, signal);
      if (options.json) printJson(answer);
      else {
        for (const { externalId, reason } of answer.passedOver) print(`passed over ${externalId}: ${reason}`);
        print(`generation requested for ${counted(answer.requested, 'product')} of ${answer.store}`);
      }
      if (answer.stopped === null) return 0;
      reportFailure(`stopped: ${answer.stopped}`);
      // If a limit stops the requests after the first, the rest follows later. If it stops them before, the command
      // has failed.
      return answer.requested > 0 ? 0 : 1;
    });
  }
}
