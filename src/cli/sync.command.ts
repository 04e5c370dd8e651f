import { STORE_OPTION, FULL_OPTION, JSON_OPTION } from './options.js';
import { Injectable } from '@nestjs/common';
import { actingUser, type CommandChange } from '../operations/audit.js';
import { RunRequests } from '../connections/run-requests.js';
import { Connections, type Store } from '../connections/connections.js';
import { DryRuns } from '../operations/dry-runs.js';
import { planned } from './progress.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { confirm } from './confirm.js';
import { ContentFollower } from './content-follower.js';
import { costLine } from './cost-line.js';
import { RunFollower } from './run-follower.js';
import type { StoreOptions } from './options.js';

interface SyncOptions extends StoreOptions {
  readonly full?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly wait?: boolean;
}

/** Requests a run of the store and works it to its end. */
@Injectable()
class SyncAction {
  constructor(
    private readonly connections: Connections,
    private readonly requests: RunRequests,
    private readonly follower: RunFollower,
    private readonly dryRuns: DryRuns,
    private readonly content: ContentFollower,
  ) {}

  async run(options: SyncOptions, signal: AbortSignal): Promise<number> {
    const { store, full = false, force = false } = options;
    await this.#mayBegin(this.connections.store(store), options, signal);
    const { id, created } = await this.requests.request({
      store,
      full,
      force,
      trigger: 'command',
      requestedBy: actingUser(),
    });
    if (!created) process.stderr.write(`store ${store} already has an active run: ${id}\n`);
    const run = await this.follower.toEnd(id, signal);
    const status = await this.follower.report(run, options.json);
    if (options.wait === true && run.status !== 'failed') await this.content.toEnd(run, signal);
    return status;
  }

  /**
   * On a terminal, asks before a sync that requests content for more than `generation.confirmAbove` products. Without a terminal it does not
   * ask: `generation.maxPerRun` and `generation.minCreditsRemaining` hold there, as for a scheduled run.
   */
  async #mayBegin(
    store: Store,
    { full = false, yes = false }: SyncOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { confirmAbove } = store.workspace.settings.generation;
    if (confirmAbove === 0 || yes || !process.stdin.isTTY) return;
    const cost = await planned((onProgress) => this.dryRuns.cost(store.key, { full, signal, onProgress }));
    if (cost.generations <= confirmAbove) return;
    await confirm(
      `A sync now: ${costLine(cost)}. That is more than generation.confirmAbove (${confirmAbove}). Sync?`,
      false,
      'the sync was not confirmed; nothing was read or written',
    );
  }
}

export class SyncCommand extends StoreSyncCommand<SyncOptions> {
  override readonly options = [
    { flags: '--force', description: 'ignores the share limits' },
    { flags: '--yes', description: 'does not ask before it spends more than generation.confirmAbove' },
    {
      flags: '--wait',
      description: 'also waits, beside a running daemon, until the requested content has come and is written',
    },
    STORE_OPTION,
    FULL_OPTION,
    JSON_OPTION,
  ];

  protected override change({ store, full, force }: SyncOptions): CommandChange {
    return { what: 'sync', targets: [store], details: { full: full ?? false, force: force ?? false } };
  }

  protected async execute(options: SyncOptions): Promise<number> {
    const signal = interruptSignal();
    return this.withService(options, SyncAction, (action) => action.run(options, signal));
  }
}
