/** One value that the store should have after the write. */
export interface IntendedValue {
  /** A store field, or `metafield:namespace.key`; a translation with its locale in front, such as `fr:title`. */
  readonly target: string;
  readonly value: string;
  /** Metafield type; null for a store field. */
  readonly type: string | null;
  /** The catalog field of the value, for display and for the comparison with the pushed value. */
  readonly from: string;
  /** The result's value before it was sanitised. If nothing was generated, it equals the pushed value. */
  readonly raw: string | null;
  /** True when the value may only go into a metafield that the merchant has defined. Absent otherwise. */
  readonly needsDefinition?: true;
  /** The reason why the value is not written although the result has it; absent otherwise. */
  readonly withheld?: string;
  /** The addresses that were left out of the value, each with its reason, for people. Absent when there are none. */
  readonly dropped?: readonly string[];
  /** The original value, when a person edited it; absent otherwise. */
  readonly came?: { readonly value: string; readonly raw: string | null };
  /** The version of the write-back that changed this value last; absent: the first. */
  readonly version?: number;
}

/** A field that a person declined when they approved the others. */
export interface DeclinedField {
  readonly target: string;
  /** The generated text. */
  readonly value: string;
  /** The person who declined it, and when. */
  readonly by: string;
  readonly at: string;
}

export const FIELD_OUTCOMES = [
  'written',
  'same',
  'conflict',
  'not_generated',
  /** The store cannot hold the translation: the shop lacks the locale, or the text is not translatable. */
  'untranslatable',
  /** The value does not fit the metafield's definition, or there is none. */
  'unfit',
  'failed',
  'reverted',
  'not_ours',
] as const;
export type FieldOutcome = (typeof FIELD_OUTCOMES)[number];

/** The outcome of one field: the before-image, and the store's value after the write. */
export interface JournalField {
  readonly target: string;
  readonly outcome: FieldOutcome;
  readonly reason: string;
  readonly before: string | null;
  /** The metafield type of the before-image. */
  readonly type: string | null;
  /** The value that the store returned; null unless written. */
  readonly after: string | null;
  /** True when the request was sent and no answer arrived, so the store may have the value. Absent otherwise. */
  readonly unanswered?: true;
}

/** The value that an attempt was about to write, and the value that it replaces. */
export interface SentValue {
  readonly value: string;
  readonly before: string | null;
}
