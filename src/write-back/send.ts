import { isCoded } from '../domain/errors.js';
import type { StoreConnector, StoreWriteOptions, TargetWrite } from '../domain/store-port.js';
import type { FieldDecision } from '../planner/field-verdict.js';
import type { Journal } from './journal.js';

/** One product that is being written to. */
export interface Sending {
  readonly connector: StoreConnector;
  readonly storeId: string;
  readonly journal: Journal;
  readonly options: StoreWriteOptions;
}

/**
 * Sends the decided values and journals each outcome. A refusal is the refused field's outcome. Any other error ends the attempt; the
 * journal then shows what got through and what may have got through.
 */
export async function send(
  { connector, storeId, journal, options }: Sending,
  toWrite: readonly FieldDecision[],
): Promise<void> {
  const onSending = (targets: readonly string[]): void => {
    journal.sending(targets);
  };
  try {
    const writes = toWrite.map(writeOf);
    for await (const outcomes of connector.write(storeId, writes, { ...options, onSending }))
      for (const outcome of outcomes) journal.outcome(outcome);
  } catch (error) {
    if (!isCoded(error, 'not_found')) throw error;
    journal.gone();
  }
}

function writeOf(decision: FieldDecision): TargetWrite {
  const { target, value, before, token, type, defines, needsDefinition } = decision;
  return { target, value, expected: before, token, type, defines, needsDefinition };
}
