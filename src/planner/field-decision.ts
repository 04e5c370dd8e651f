import type { NewMetafieldDefinition } from '../domain/metafield-definition.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import type { FieldVerdict } from './field-verdict.js';

/** The decision about one field, with its reason. */
export interface FieldDecision extends IntendedValue {
  readonly verdict: FieldVerdict;
  readonly reason: string;
  /** The live value at the decision: the before-image. */
  readonly before: string | null;
  /** The store's token that guards the replacement; null where there was no value, or the store has none. */
  readonly token: string | null;
  /** The definition to create before the metafield is written. Absent when there is one, or none is wanted. */
  readonly defines?: NewMetafieldDefinition;
  /** The intended target that this is a part of. Absent when it is the intended target itself. */
  readonly partOf?: string;
}
