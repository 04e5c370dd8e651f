import { Command, Option } from 'nest-commander';
import { SavedPlansPort } from '../operations/ports.js';
import { interruptSignal, print, StoreSyncCommand, type CommonOptions } from './command.js';
import { reportRun, runToEnd } from './run-to-end.js';
import { idsFor, nothingMore } from './terminal.js';

interface ApplyOptions extends CommonOptions {
  readonly json?: boolean;
}

@Command({
  name: 'apply',
  description: 'carries out exactly a saved plan, refusing entry by entry what has changed since',
  arguments: '<plan>',
  argsDescription: { plan: 'id of a plan that plan --save kept' },
})
export class ApplyCommand extends StoreSyncCommand<ApplyOptions> {
  @Option({ flags: '--json', description: 'prints one JSON document' })
  parseJson(): boolean {
    return true;
  }

  protected async execute(options: ApplyOptions, args: readonly string[]): Promise<number> {
    const [planId = '', ...rest] = idsFor('apply', 'PLAN_ID', args);
    nothingMore('apply PLAN_ID', rest);
    const signal = interruptSignal();
    return this.withApp(options, async (app) => {
      const applied = await app.get(SavedPlansPort).apply(planId, 'command', signal);
      const run = await runToEnd(app, applied.runId, signal);
      if (!options.json) {
        const taken = applied.entries - applied.refused;
        print(
          `plan ${planId}: ${String(taken)} of ${String(applied.entries)} entries still hold, ${String(applied.refused)} refused`,
        );
      }
      return reportRun(app, run, options.json);
    });
  }
}
