import { codesMetWith } from './error-policy.js';

/**
 * Why a product is owed: put off, with a reason that code can read. The next run reads every owed product, incremental runs too,
 * whatever the watermark says. A run that ends with owed products is `partial`.
 */
export const OWED_CODES = [
  'changed', // a store event names it and no run has read it since, or it changed while the catalog was creating it
  'being_written', // a write-back holds it, so what the store shows now may be either text
  'being_created', // the catalog creates it in the background
  'left_while_created', // it left the store while the catalog was creating it, and is treated as gone once it exists
  'creation_failed', // the catalog accepted it, and its background task failed
  'refused', // the catalog refused what was sent
  'unavailable', // a passing fault kept it from being sent
  'not_applied', // the run ended before it reached the product
  'not_understood', // the store's answer about it could not be read
  'without_identifiers', // it is in the catalog, and its identifiers have still to be sent
  'gone_from_catalog', // its catalog product no longer exists
  'taken_over', // its catalog product has another system's external_id
] as const;
export type OwedCode = (typeof OWED_CODES)[number];

export interface OwedProduct {
  readonly externalId: string;
  readonly storeId: string;
  /** Empty where only an event has named the product so far. */
  readonly label: string;
  readonly code: OwedCode;
  /** The message of the other side, for people; null when the code is enough. */
  readonly detail: string | null;
}

/** The reason for people, without the detail. */
export const OWED_REASONS: Readonly<Record<OwedCode, string>> = {
  changed: 'its change in the store waits for the next run',
  being_written: 'a write-back was changing it while the run read it',
  being_created: 'the catalog is still creating it in the background',
  left_while_created: 'it left the store while the catalog was creating it',
  creation_failed: 'the catalog could not create it in the background',
  refused: 'the catalog refused it',
  unavailable: 'the catalog could not be reached',
  not_applied: 'the run ended before it was sent',
  not_understood: 'the store’s answer about it could not be read',
  without_identifiers: 'its identifiers have not been sent yet',
  gone_from_catalog: 'its catalog product no longer exists',
  taken_over: 'another system took its catalog product over',
};

/** The beginning of `owedLine`. */
export const OWED_NOTE = 'put off to the next run';

const FAILURES: ReadonlySet<OwedCode> = new Set(['refused', 'unavailable', 'creation_failed']);

/**
 * One line for the end of a run: each reason with its number; null when nothing is owed. Failures are left out, as a run counts and
 * quotes them by themselves.
 */
export function owedLine(counts: Readonly<Partial<Record<OwedCode, number>>>): string | null {
  const parts = OWED_CODES.flatMap((code) => {
    const count = counts[code] ?? 0;
    return count === 0 || FAILURES.has(code) ? [] : [`${String(count)}: ${OWED_REASONS[code]}`];
  });
  return parts.length === 0 ? null : `${OWED_NOTE}: ${parts.join('; ')}`;
}

/** The code under which a failed action is owed, by the code of its error. */
export function owedForFailure(errorCode: string): Extract<OwedCode, 'refused' | 'unavailable'> {
  const passing: readonly string[] = codesMetWith('apply', 'retry', 'pause');
  return passing.includes(errorCode) ? 'unavailable' : 'refused';
}
