import { CodedError, type ErrorCode, type Side } from './errors.js';

/**
 * The effect of an error on the row that was being processed:
 * - `retry` try again with growing delays; after the last one, give up
 * - `wait` try again later without limit; the attempt does not count
 * - `pause` send nothing more to the side that refused us (see `pausedSide`), and try again after the pause
 * - `owe` put only this row off with its reason; the next run or poll handles it, and the others continue
 * - `give_up` end only this row with its reason; the others continue
 */
export type Reaction = 'retry' | 'wait' | 'pause' | 'owe' | 'give_up';

type Row = Readonly<Record<ErrorCode, Reaction>>;

/** The only place that decides the effect of an error code. Stages are named after the row that they process. */
export const ERROR_POLICY = {
  /** A whole run: reading the store, planning, applying. */
  run: {
    auth: 'pause',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'retry',
    not_found: 'retry',
    invalid: 'give_up',
    unavailable: 'pause',
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
    unavailable: 'owe',
    misconfigured: 'owe',
  },
  /** Reading a background task. After giving up, the product itself has to show the result. */
  task: {
    auth: 'give_up',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    unavailable: 'give_up',
    misconfigured: 'give_up',
  },
  /** Listing a product's variants. After giving up, variants are identified only by external_id. */
  variants: {
    auth: 'give_up',
    throttled: 'retry',
    transient: 'retry',
    conflict: 'retry',
    not_found: 'give_up',
    invalid: 'give_up',
    unavailable: 'give_up',
    misconfigured: 'give_up',
  },
  /** Requesting generation. A 403 may mean that the subscription excludes generation, so nothing else is paused. */
  generate: {
    auth: 'wait',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    unavailable: 'give_up',
    misconfigured: 'give_up',
  },
  /** Polling an open generation task. The task stays open, with the reason, until it expires. */
  poll: {
    auth: 'wait',
    throttled: 'wait',
    transient: 'wait',
    conflict: 'owe',
    not_found: 'owe',
    invalid: 'owe',
    unavailable: 'owe',
    misconfigured: 'owe',
  },
  /** Interpreting a delivery, including the requests that this needs. */
  interpret: {
    auth: 'retry',
    throttled: 'retry',
    transient: 'retry',
    conflict: 'give_up',
    not_found: 'give_up',
    invalid: 'give_up',
    unavailable: 'give_up',
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
    unavailable: 'pause',
    misconfigured: 'wait',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type Stage = keyof typeof ERROR_POLICY;

/**
 * The side that a stage with the reaction `pause` uses, for an error that names none. A run uses both sides, so it has no entry.
 */
const SIDE_OF_STAGE: Readonly<Partial<Record<Stage, Side>>> = { apply: 'catalog', 'write-back': 'store' };

export function reactionTo(stage: Stage, error: CodedError): Reaction {
  return ERROR_POLICY[stage][error.code];
}

/** True for a coded error with one of these reactions in the stage; false for an error without a code. */
export function isMetWith(error: unknown, stage: Stage, ...reactions: Reaction[]): error is CodedError {
  return error instanceof CodedError && reactions.includes(reactionTo(stage, error));
}

/** The codes with one of these reactions in the stage, for queries on rows that store an error's code. */
export function codesMetWith(stage: Stage, ...reactions: Reaction[]): ErrorCode[] {
  const row: Row = ERROR_POLICY[stage];
  return (Object.keys(row) as ErrorCode[]).filter((code) => reactions.includes(row[code]));
}

/** The side to pause after an error: this store, or the catalog workspace. Null when nothing is paused. */
export function pausedSide(stage: Stage, error: CodedError): Side | null {
  return reactionTo(stage, error) === 'pause' ? (error.side ?? SIDE_OF_STAGE[stage] ?? null) : null;
}

/**
 * Whose an error of a generation call is, so that it reaches no further: the product's, the call's (a setting is wrong, and the next call
 * would fail, too), the workspace's (all calls have to wait), or unclear: the product's if the service accepts another one, else the
 * call's. `productFields`: the fields of the request that name products.
 */
export function whoseGenerationError(
  error: CodedError,
  { isAlone, productFields }: { readonly isAlone: boolean; readonly productFields: ReadonlySet<string> },
): 'product' | 'call' | 'workspace' | 'unclear' {
  if (reactionTo('generate', error) !== 'give_up') return 'workspace';
  if (error.code === 'misconfigured') return 'call';
  const refused = Object.keys(error.fields ?? {}).map((path) => path.split('.')[0] ?? '');
  if (refused.some((field) => productFields.has(field))) return 'product';
  // A request for several products that is invalid, and names none of them, is wrong as a whole.
  return error.code === 'invalid' && !isAlone ? 'call' : 'unclear';
}
