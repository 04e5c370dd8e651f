import { DriftOperations, type Drift } from '../operations/drift.js';
import { interruptSignal, StoreSyncCommand, type CommonOptions } from './command.js';
import { print, printJson } from './output.js';
import { nothingMore, paintState, printable, quoted } from './terminal.js';
import { messages } from './messages.js';

interface DriftOptions extends CommonOptions {
  readonly store: string;
  readonly json?: boolean;
}

export class DriftCommand extends StoreSyncCommand<DriftOptions> {
  protected async execute(options: DriftOptions, args: readonly string[]): Promise<number> {
    nothingMore('drift', args);
    const signal = interruptSignal();
    return this.withService(options, DriftOperations, async (operations) => {
      const drift = await operations.look(options.store, signal, () => undefined);
      if (options.json) printJson(drift);
      else printDrift(drift);
      return drift.drifted === 0 ? 0 : 2;
    });
  }
}

function printDrift(drift: Drift): void {
  for (const { externalId, label, findings } of drift.products) {
    print(`${externalId}  ${printable(label)}`);
    for (const { kind, target, detail, live, written } of findings) {
      print(`    ${paintState(kind, 17)}  ${target === null ? '' : `${target}: `}${detail}`);
      if (target !== null) print(`                       live ${quoted(live)}, written ${quoted(written)}`);
    }
  }
  const passed = drift.passedOver > 0 ? messages.passedOver(drift.passedOver) : '';
  if (drift.catalogProblem !== null) print(messages.catalogNotCompared(printable(drift.catalogProblem, 400)));
  print(messages.drifted(drift.drifted, drift.checked, drift.store) + passed);
}
