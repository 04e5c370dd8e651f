import { Option } from 'nest-commander';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { messages } from './messages.js';

export interface StoreOptions extends CommonOptions {
  readonly store: string;
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Commands about one store. */
export abstract class StoreCommand<
  Options extends StoreOptions = StoreOptions,
> extends StoreSyncCommand<Options> {
  @Option({
    flags: '--store <key>',
    description: messages.storeFlag,
    required: true,
  })
  parseStore(key: string): string {
    return key;
  }

  @Option({ flags: '--full', description: messages.fullFlag })
  parseFull(): boolean {
    return true;
  }

  @Option({ flags: '--json', description: messages.json })
  parseJson(): boolean {
    return true;
  }
}
