import { STORE_OPTION, JSON_OPTION, type StoreOptions } from './options.js';
import { DriftOperations, type Drift } from '../operations/drift.js';
import { interruptSignal, StoreSyncCommand } from './command.js';
import { print, printJson } from './output.js';
import { nothingMore, paintState, printable, quoted } from './terminal.js';

export class DriftCommand extends StoreSyncCommand<StoreOptions> {
  override readonly options = [STORE_OPTION, JSON_OPTION];

  protected async execute(options: StoreOptions, args: readonly string[]): Promise<number> {
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
  const passed = drift.passedOver > 0 ? `; ${drift.passedOver} skipped, because they are being written` : '';
  if (drift.catalogProblem !== null)
    print(
      `products that are gone from the catalog were not looked for: ${printable(drift.catalogProblem, 400)}`,
    );
  print(`${drift.drifted} of ${drift.checked} products of ${drift.store} have drifted` + passed);
}
