import { Command, Option } from 'nest-commander';
import { GenerateOperations } from '../operations/generate.js';
import { interruptSignal, StoreSyncCommand, type CommonOptions } from './command.js';
import { print, printJson } from './output.js';

interface GenerateOptions extends CommonOptions {
  readonly store: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

@Command({
  name: 'generate',
  description: 'asks for generation of the given products, or of all that lack it',
  arguments: '[ids...]',
  argsDescription: { ids: 'external_ids, SKUs, barcodes or handles; none: all that lack generation' },
})
export class GenerateCommand extends StoreSyncCommand<GenerateOptions> {
  @Option({
    flags: '--store <key>',
    description: 'the store, by its key in the configuration',
    required: true,
  })
  parseStore(key: string): string {
    return key;
  }

  @Option({ flags: '--force', description: 'also products whose generation succeeded' })
  parseForce(): boolean {
    return true;
  }

  @Option({ flags: '--json', description: 'prints one JSON document' })
  parseJson(): boolean {
    return true;
  }

  protected async execute(options: GenerateOptions, ids: readonly string[]): Promise<number> {
    const signal = interruptSignal();
    return this.withService(options, GenerateOperations, async (operations) => {
      const wish = { store: options.store, ids, force: options.force ?? false };
      const answer = await operations.generate(wish, signal);
      if (options.json) printJson(answer);
      else {
        for (const { externalId, reason } of answer.passedOver) print(`passed over ${externalId}: ${reason}`);
        print(`generation asked for ${String(answer.requested)} products of ${answer.store}`);
      }
      if (answer.stopped === null) return 0;
      process.stderr.write(`store-sync: stopped: ${answer.stopped}\n`);
      // A brake after which something was asked for left the rest for later; one before left the wish unmet.
      return answer.requested > 0 ? 0 : 1;
    });
  }
}
