import { JSON_OPTION, type JsonOptions } from './options.js';
import { Injectable } from '@nestjs/common';
import { actingUser, type CommandChange } from '../operations/audit.js';
import { SavedPlans } from '../sync/saved-plans.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { print } from './output.js';
import { RunFollower } from './run-follower.js';
import { idsFor, nothingMore } from './terminal.js';

/** Applies a saved plan and works the run that comes of it. */
@Injectable()
class ApplyAction {
  constructor(
    private readonly plans: SavedPlans,
    private readonly follower: RunFollower,
  ) {}

  async run(planId: string, options: JsonOptions, signal: AbortSignal): Promise<number> {
    const by = { trigger: 'command', requestedBy: actingUser() } as const;
    const applied = await this.plans.apply(planId, by, signal);
    const run = await this.follower.toEnd(applied.runId, signal);
    if (!options.json) {
      const { entries, refused } = applied;
      print(`plan ${planId}: ${entries - refused} of ${entries} entries are still valid, ${refused} refused`);
    }
    return this.follower.report(run, options.json);
  }
}

export class ApplyCommand extends StoreSyncCommand<JsonOptions> {
  override readonly args = { '<plan>': 'id of a plan that `plan --save` stored' };
  override readonly options = [JSON_OPTION];

  protected override change(_options: JsonOptions, args: readonly string[]): CommandChange {
    return { what: 'plan apply', targets: args };
  }

  protected async execute(options: JsonOptions, args: readonly string[]): Promise<number> {
    const [planId = '', ...rest] = idsFor('apply', 'PLAN_ID', args);
    nothingMore('apply PLAN_ID', rest);
    const signal = interruptSignal();
    return this.withService(options, ApplyAction, (action) => action.run(planId, options, signal));
  }
}
