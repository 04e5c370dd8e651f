import { clipped, onOneLine } from './text.js';

/**
 * The only error type that crosses module borders. Connectors translate every vendor response into a code, by status
 * and machine-readable code, never by message text (docs/decisions/0023-errors-have-codes.md). `error-policy.ts`
 * decides the effect of a code on a row.
 */
export type ErrorCode =
  | 'auth' // credentials refused (401) or a permission missing (403); a person must act
  | 'throttled' // the other side asked for fewer requests; `retryAfterMs` when it said how long
  | 'transient' // may succeed later unchanged: resets, timeouts, 5xx, an unusable response
  | 'invalid' // the request itself was refused; `fields` holds the service's own messages
  | 'conflict' // exists already, or changed since it was read
  | 'not_found'
  | 'unavailable' // the shop itself is frozen, locked, moved or gone; its owner must act
  | 'misconfigured'; // cannot work before the configuration changes

/** The side that raised an error. Errors of the database, the queue and the configuration have none. */
export type Side = 'store' | 'catalog';

export interface CodedErrorDetails {
  readonly cause?: unknown;
  /** Milliseconds to wait, as the other side requested; absent when it requested none. */
  readonly retryAfterMs?: number;
  /** Field name to messages, as the service returned them (docs/catalog-rules.md#errors). */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** HTTP status, when one was received. */
  readonly status?: number;
  /** True when the request may have been carried out although no usable response arrived. */
  readonly outcomeUnknown?: boolean;
  /** The side that raised it, if already known; see `raisedBy`. */
  readonly side?: Side | null;
}

export class CodedError extends Error {
  override readonly name = 'CodedError';
  readonly retryAfterMs?: number;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly status?: number;
  readonly outcomeUnknown: boolean;
  #side: Side | null;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: CodedErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.retryAfterMs = details.retryAfterMs;
    this.fields = details.fields;
    this.status = details.status;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.#side = details.side ?? null;
  }

  get side(): Side | null {
    return this.#side;
  }

  /** Records the side that raised the error, unless one is recorded already. Returns the error itself. */
  raisedBy(side: Side): this {
    this.#side ??= side;
    return this;
  }
}

export function isCoded(error: unknown, ...codes: ErrorCode[]): error is CodedError {
  return error instanceof CodedError && (codes.length === 0 || codes.includes(error.code));
}

/** A service may echo a product in its error, which must not fill the log. */
const LONGEST_LINE = 2000;

/** One line for people: the message, and field messages if the service returned any. Never a stack. */
export function errorLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return failureLine({ message, ...(isCoded(error) && error.fields ? { fields: error.fields } : {}) });
}

/** The line of an error that a row keeps, like `errorLine`: the service's own field messages stand in brackets. */
export function failureLine({
  message,
  fields = {},
}: Pick<CodedErrorDetails, 'fields'> & { message: string }): string {
  const detail = Object.entries(fields)
    .map(([field, messages]) => `${field}: ${messages.join(' ')}`)
    .join('; ');
  return clipped(onOneLine(detail === '' ? message : `${message} (${detail})`), LONGEST_LINE);
}
