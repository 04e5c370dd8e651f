export const GATES = ['length', 'forbid', 'numbers', 'language', 'shrink'] as const;
export type GateName = (typeof GATES)[number];

/** Why a generated text is not written before a person has looked at it. */
export interface GateFinding {
  readonly gate: GateName;
  /** The store field or metafield that the text is meant for. */
  readonly target: string;
  /** The part of the text that the finding is about; null where it is the whole text. */
  readonly found: string | null;
  /** The finding for people, such as `25 W: not in the source`. */
  readonly detail: string;
}
