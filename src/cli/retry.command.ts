import { messages } from './messages.js';
import type { CommandChange } from '../operations/audit.js';
import { StoreHealthOperations } from '../operations/store-health.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { print, printJson } from './output.js';
import { printable } from './terminal.js';

interface RetryOptions extends CommonOptions {
  readonly store: string;
  readonly json?: boolean;
}

export class RetryCommand extends StoreSyncCommand<RetryOptions> {
  protected override change({ store }: RetryOptions): CommandChange {
    return { what: 'store retry', targets: [store] };
  }

  protected async execute(options: RetryOptions): Promise<number> {
    return this.withService(options, StoreHealthOperations, async (operations) => {
      const answer = await operations.retry(options.store);
      const { health, woken, store } = answer;
      if (options.json) printJson(answer);
      else if (health.state === 'ok') print(messages.storeWorks(store, woken.writeBacks, woken.runs));
      if (health.state === 'ok') return 0;
      process.stderr.write(`store-sync: ${messages.storeRefuses(store, printable(health.reason ?? ''))}\n`);
      return 1;
    });
  }
}
