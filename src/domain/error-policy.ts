import { CodedError, type ErrorCode, type Side } from './errors.js';

/**
 * What an error means for the row that was being worked on:
 * - `retry` try again with growing delays; after the last one, give up
 * - `wait` try again later, as often as it takes; the attempt does not count
 * - `pause` ask nothing more of the side that refused us (see `pausedSide`), and try again after the pause
 * - `owe` put this one row off with its reason; the next run or poll takes it up, and the others go on
 * - `give_up` end this one row with its reason; the others go on
 */
export type Reaction = 'retry' | 'wait' | 'pause' | 'owe' | 'give_up';

type Row = Readonly<Record<ErrorCode, Reaction>>;

/** The one place that decides what an error code means. Stages are named after the row that they work on. */
export const ERROR_POLICY = {
  /** A whole run: reading the store, planning, applying. */
  run: {
    auth: 'pause',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'retry',
    not_found: 'retry',
    invalid: 'give_up',
    misconfigured: 'give_up',
  },
  /** One product's action on the catalog. */
  apply: {
    auth: 'pause',
    throttled: 'retry',
    transient: 'retry',
    conflict: 'owe',
    not_found: 'owe',
    invalid: 'owe',
    misconfigured: 'owe',
  },
  /** Reading a background task. Giving up means that the product itself has to show what became of it. */
  task: {
    auth: 'give_up',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    misconfigured: 'give_up',
  },
  /** Listing a product's variants. Giving up means that variants are addressed by external_id alone. */
  variants: {
    auth: 'give_up',
    throttled: 'retry',
    transient: 'retry',
    conflict: 'retry',
    not_found: 'give_up',
    invalid: 'give_up',
    misconfigured: 'give_up',
  },
  /** Asking for generation. A 403 may mean that the subscription lacks generation, so it pauses nothing else. */
  generate: {
    auth: 'wait',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    misconfigured: 'give_up',
  },
  /** Asking what became of an open generation task; it stays open, with the reason, until its time is up. */
  poll: {
    auth: 'wait',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'owe',
    not_found: 'owe',
    invalid: 'owe',
    misconfigured: 'owe',
  },
  /** Interpreting a delivery, with what it fetches. */
  interpret: {
    auth: 'retry',
    throttled: 'retry',
    transient: 'retry',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    misconfigured: 'give_up',
  },
  /** Writing a result to the store. */
  'write-back': {
    auth: 'pause',
    throttled: 'retry',
    transient: 'retry',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    misconfigured: 'wait',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type Stage = keyof typeof ERROR_POLICY;

/** The side that a stage talks to where the error itself does not tell; a run talks to both. */
const SIDE_OF_STAGE: Readonly<Record<Stage, Side | null>> = {
  run: null,
  apply: 'catalog',
  task: 'catalog',
  variants: 'catalog',
  generate: 'catalog',
  poll: 'catalog',
  interpret: 'catalog',
  'write-back': 'store',
};

export function reactionTo(stage: Stage, error: CodedError): Reaction {
  return ERROR_POLICY[stage][error.code];
}

/** True for a coded error that the stage reacts to in one of these ways; false for anything without a code. */
export function isMetWith(error: unknown, stage: Stage, ...reactions: Reaction[]): error is CodedError {
  return error instanceof CodedError && reactions.includes(reactionTo(stage, error));
}

/** The codes that a stage reacts to in one of these ways: what a query looks for in rows that keep an error's code. */
export function codesMetWith(stage: Stage, ...reactions: Reaction[]): ErrorCode[] {
  const row: Row = ERROR_POLICY[stage];
  return (Object.keys(row) as ErrorCode[]).filter((code) => reactions.includes(row[code]));
}

/** The side to pause after an error: this store, or the workspace of the catalog. Null when nothing is to be paused. */
export function pausedSide(stage: Stage, error: CodedError): Side | null {
  return reactionTo(stage, error) === 'pause' ? (error.side ?? SIDE_OF_STAGE[stage]) : null;
}
