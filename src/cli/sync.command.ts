import { Command, Option } from 'nest-commander';
import { RunRequests } from '../sites/run-requests.js';
import { interruptSignal } from './command.js';
import { reportRun, runToEnd } from './run-to-end.js';
import { StoreCommand, type StoreOptions } from './store-options.js';

interface SyncOptions extends StoreOptions {
  readonly force?: boolean;
}

@Command({ name: 'sync', description: 'runs one sync to its end: extract, plan, apply, trigger generation' })
export class SyncCommand extends StoreCommand<SyncOptions> {
  @Option({ flags: '--force', description: 'passes the share limits over' })
  parseForce(): boolean {
    return true;
  }

  protected async execute(options: SyncOptions): Promise<number> {
    const signal = interruptSignal();
    return this.withApp(options, async (app) => {
      const { id, created } = await app.get(RunRequests).request({
        store: options.store,
        full: options.full ?? false,
        force: options.force ?? false,
        trigger: 'command',
      });
      if (!created) process.stderr.write(`a run of store ${options.store} is active already: ${id}\n`);
      const run = await runToEnd(app, id, signal);
      return reportRun(app, run, options.json);
    });
  }
}
