import { migrateAt } from '../persistence/data-source.js';
import { StoreSyncCommand } from './command.js';
import type { CommonOptions } from './options.js';
import { print } from './output.js';
import { openRuntime, readConfig } from './runtime.js';

export class MigrateCommand extends StoreSyncCommand {
  protected async execute(options: CommonOptions): Promise<number> {
    const runtime = await openRuntime(readConfig(options.config), 'stderr');
    try {
      const applied = await migrateAt(runtime.databaseUrl);
      print(applied.length === 0 ? 'no migrations are pending' : `applied: ${applied.join(', ')}`);
    } finally {
      await runtime.release();
    }
    return 0;
  }
}
