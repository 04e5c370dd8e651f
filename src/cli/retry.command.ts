import { STORE_OPTION, JSON_OPTION, type StoreOptions } from './options.js';
import { counted } from '../domain/text.js';
import type { CommandChange } from '../operations/audit.js';
import { StoreHealthOperations } from '../operations/store-health.js';
import { StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { printable } from './terminal.js';
import { reportFailure } from './report.js';

interface RetryOptions extends StoreOptions {
  readonly acceptShop?: boolean;
}

export class RetryCommand extends StoreSyncCommand<RetryOptions> {
  override readonly options = [
    STORE_OPTION,
    {
      flags: '--accept-shop',
      description: 'takes the shop that answers now for the store’s own: it moved, or was set up anew',
    },
    JSON_OPTION,
  ];

  protected override change({ store, acceptShop = false }: RetryOptions): CommandChange {
    return { what: 'store retry', targets: [store], ...(acceptShop ? { details: { acceptShop } } : {}) };
  }

  protected async execute(options: RetryOptions): Promise<number> {
    return this.withService(options, StoreHealthOperations, async (operations) => {
      const answer = await operations.retry(options.store, options);
      const { health, woken, store } = answer;
      if (options.json) printJson(answer);
      else if (health.state === 'ok')
        print(
          `store ${store} works: woke ${counted(woken.writeBacks, 'write-back')} and ${counted(woken.runs, 'run')}`,
        );
      if (health.state === 'ok') return 0;
      reportFailure(`store ${store} is still refused: ${printable(health.reason ?? '')}`);
      return 1;
    });
  }
}
