/** The outcome of a person's decision: made, or refused because of the row's state, of a newer result, or of an edit that the person has not seen. */
export type DecisionOutcome = 'decided' | 'wrong_state' | 'newer_result' | 'edited_meanwhile';

/** Why an approval of many left a text, or a part of it: the merchant edited it since, or a gate holds it back. */
export const LEFT_BECAUSE = ['edited', 'gate'] as const;
export type LeftBecause = (typeof LEFT_BECAUSE)[number];

/** What an approval of more than one text may do besides writing what nobody objects to. */
export interface Permissions {
  /** Write fields that the merchant edited since. */
  readonly overwriteEdits: boolean;
  /** Write texts that a gate holds back. */
  readonly passGates: boolean;
}

/** The approval of one of many texts. */
export interface Approval {
  readonly outcome: DecisionOutcome;
  /** Why the text, or a part of it, was left. Null when all of it is approved, or when the outcome says why not. */
  readonly left: LeftBecause | null;
  /** What was left; empty when nothing was. */
  readonly detail: string;
}
