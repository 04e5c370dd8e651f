import { Command, Option } from 'nest-commander';
import { StoreSyncCommand, type CommonOptions } from './command.js';

interface DemoOptions extends CommonOptions {
  readonly products?: string;
  readonly keep?: boolean;
}

@Command({
  name: 'demo',
  description: 'the whole loop on this machine: embedded PostgreSQL, sandbox catalog, sandbox store',
})
export class DemoCommand extends StoreSyncCommand<DemoOptions> {
  @Option({
    flags: '--products <file>',
    description: 'a Shopify product export (CSV) in place of the built-in catalogue',
  })
  parseProducts(file: string): string {
    return file;
  }

  @Option({ flags: '--keep', description: 'stays up after the loop and says where' })
  parseKeep(): boolean {
    return true;
  }

  protected async execute(options: DemoOptions): Promise<number> {
    // Loaded here, so that no other command waits for the sandboxes.
    const { runDemo } = await import('./demo/run-demo.js');
    return runDemo(options);
  }
}
