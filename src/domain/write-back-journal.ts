/** One value that the store should come to hold. */
export interface IntendedValue {
  /** A store field, or `metafield:namespace.key`; a translation with its locale in front, such as `fr:title`. */
  readonly target: string;
  readonly value: string;
  /** Metafield type; null for a store field. */
  readonly type: string | null;
  /** Catalog field that it came from, for people and for comparing with what was pushed. */
  readonly from: string;
  /** The result's value before it was sanitised: what was pushed comes back like this when nothing was generated. */
  readonly raw: string | null;
  /** Why it is not to be written although the result holds it; absent otherwise. */
  readonly withheld?: string;
}

export type FieldOutcome =
  | 'written'
  | 'same'
  | 'conflict'
  | 'not_generated'
  /** A translation that the store cannot hold: the locale is not among the shop's, or the text is not translated. */
  | 'untranslatable'
  | 'failed'
  | 'reverted'
  | 'not_ours';

/** What became of one field: the journal's before-image and what the store held afterwards. */
export interface JournalField {
  readonly target: string;
  readonly outcome: FieldOutcome;
  readonly reason: string;
  readonly before: string | null;
  /** Type that the before-image of a metafield had. */
  readonly type: string | null;
  /** As the store returned it; null unless written. */
  readonly after: string | null;
  /** True when it was sent and no answer came: the store may hold it. Absent otherwise. */
  readonly unanswered?: true;
}

/** What an attempt was about to write, and what stood there. */
export interface SentValue {
  readonly value: string;
  readonly before: string | null;
}
