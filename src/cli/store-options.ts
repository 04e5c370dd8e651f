import { Option } from 'nest-commander';
import { StoreSyncCommand, type CommonOptions } from './command.js';

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
    description: 'the store, by its key in the configuration',
    required: true,
  })
  parseStore(key: string): string {
    return key;
  }

  @Option({ flags: '--full', description: 'reads the whole store, not only what changed' })
  parseFull(): boolean {
    return true;
  }

  @Option({ flags: '--json', description: 'prints one JSON document' })
  parseJson(): boolean {
    return true;
  }
}
