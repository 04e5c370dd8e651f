import { Injectable } from '@nestjs/common';
import type { CommandChange } from '../operations/audit.js';
import { RunRequests } from '../sites/run-requests.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { RunFollower } from './run-follower.js';
import type { StoreOptions } from './store-options.js';
import { messages } from './messages.js';

interface SyncOptions extends StoreOptions {
  readonly force?: boolean;
}

/** Requests a run of the store and works it to its end. */
@Injectable()
class SyncAction {
  constructor(
    private readonly requests: RunRequests,
    private readonly follower: RunFollower,
  ) {}

  async run(options: SyncOptions, signal: AbortSignal): Promise<number> {
    const { store, full = false, force = false } = options;
    const { id, created } = await this.requests.request({ store, full, force, trigger: 'command' });
    if (!created) process.stderr.write(`${messages.activeRun(store, id)}\n`);
    return this.follower.report(await this.follower.toEnd(id, signal), options.json);
  }
}

export class SyncCommand extends StoreSyncCommand<SyncOptions> {
  protected override change({ store, full, force }: SyncOptions): CommandChange {
    return { what: 'sync', targets: [store], details: { full: full ?? false, force: force ?? false } };
  }

  protected async execute(options: SyncOptions): Promise<number> {
    const signal = interruptSignal();
    return this.withService(options, SyncAction, (action) => action.run(options, signal));
  }
}
