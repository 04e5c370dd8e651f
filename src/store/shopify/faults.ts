import { CodedError, type CodedErrorDetails, type ErrorCode } from '../../domain/errors.js';
import { parseRetryAfterMs } from '../../domain/retry-after.js';
import { isNeverSent } from '../../runtime/outgoing-http.js';
import type { GraphqlError } from './answer.js';

/** The knowledge about a call without a usable response. */
export interface Fault {
  readonly error: CodedError;
  /**
   * `always`: it was not carried out. `if-repeatable`: it may have been. `new-token`: it was not carried out, and
   * another token may work. `never`: it would be refused again.
   */
  readonly repeat: 'always' | 'if-repeatable' | 'new-token' | 'never';
}

/**
 * The store's top-level errors, kept as the cause of the coded error. Connectors decide by `codes`; the messages are
 * for people.
 */
export class GraphqlRefusal extends Error {
  override readonly name = 'GraphqlRefusal';
  readonly codes: readonly string[];

  constructor(errors: readonly GraphqlError[]) {
    super(errors.map((error) => error.message).join(' '));
    this.codes = errors.flatMap((error) => error.extensions?.code ?? []);
  }
}

/** True when the store refused the call with this code in a top-level error. */
export function refusedWith(error: unknown, code: string): error is CodedError {
  return (
    error instanceof CodedError && error.cause instanceof GraphqlRefusal && error.cause.codes.includes(code)
  );
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  THROTTLED: 'throttled',
  ACCESS_DENIED: 'auth',
  SHOP_INACTIVE: 'unavailable',
  INTERNAL_SERVER_ERROR: 'transient',
  TIMEOUT: 'transient',
  RESOURCE_NOT_FOUND: 'not_found',
};

/**
 * The fault of top-level errors in a response with status 200. An unknown code refuses the request itself. A missing
 * code says nothing.
 */
export function graphqlFault(
  operation: string,
  errors: string | readonly GraphqlError[],
  where: string,
): Fault {
  if (typeof errors === 'string' || errors.length === 0) {
    const said = typeof errors === 'string' ? `: ${errors}` : '';
    return fault('transient', 'if-repeatable', `${operation} failed${said}${where}`);
  }
  const cause = new GraphqlRefusal(errors);
  const [vendorCode] = cause.codes;
  const code = vendorCode === undefined ? 'transient' : (CODES[vendorCode] ?? 'invalid');
  const repeat = code === 'throttled' ? 'always' : code === 'transient' ? 'if-repeatable' : 'never';
  const named = vendorCode === undefined ? '' : ` (${vendorCode})`;
  return fault(code, repeat, `the store refused ${operation}${named}: ${cause.message}${where}`, { cause });
}

interface HttpAnswer {
  readonly status: number;
  /** The value of Retry-After, if any. */
  readonly retryAfter: string | undefined;
}

/** The fault of a status that is not a success. `now` in milliseconds, for a Retry-After with a date. */
export function httpFault(operation: string, answer: HttpAnswer, where: string, now: number): Fault {
  const { status } = answer;
  const made = (
    code: ErrorCode,
    repeat: Fault['repeat'],
    text: string,
    details: CodedErrorDetails = {},
  ): Fault =>
    fault(code, repeat, `${operation}: the store answered ${String(status)}${text}${where}`, {
      status,
      ...details,
    });
  const asked = parseRetryAfterMs(answer.retryAfter, new Date(now));
  if (status === 429 || status === 430) {
    const retryAfterMs = asked ?? (status === 430 ? 10_000 : 1_000);
    return made('throttled', 'always', ', too many requests', { retryAfterMs });
  }
  if (status >= 500 || status === 408) return made('transient', 'if-repeatable', '', { retryAfterMs: asked });
  if (status >= 300 && status < 400) {
    return made(
      'unavailable',
      'never',
      ', a redirect, which is not followed: the shop has moved; check shop and endpoint',
    );
  }
  switch (status) {
    case 401:
      return made(
        'auth',
        'new-token',
        ': the access token is missing, wrong or revoked; check the store’s auth, and that the app is installed in this shop',
      );
    case 402:
      return made('unavailable', 'never', ': the shop is frozen until its owner has paid');
    case 403:
      return made(
        'auth',
        'never',
        ': access denied; check the app’s scopes and its list of allowed IP addresses',
      );
    case 404:
      return made('unavailable', 'never', ': no such shop or API version; check shop and apiVersion');
    case 423:
      return made(
        'unavailable',
        'never',
        ': the shop is locked; its owner has to contact the store’s support',
      );
    default:
      return made('invalid', 'never', ', the request was refused');
  }
}

/** The fault of a missing response: resets, timeouts, names that do not resolve. */
export function networkFault(operation: string, cause: unknown): Fault {
  const name = textMember(cause, 'code') ?? textMember(cause, 'name') ?? 'unknown fault';
  const repeat = isNeverSent(name) ? 'always' : 'if-repeatable';
  return fault('transient', repeat, `${operation}: no answer from the store (${name})`, {
    cause: bareCause(cause),
  });
}

/** A response that breaks the interface: a page of HTML with 200, no data, the wrong shape. */
export function oddAnswerFault(operation: string, what: string, where: string, cause?: unknown): Fault {
  return fault('transient', 'if-repeatable', `${operation}: the store answered with ${what}${where}`, {
    cause,
  });
}

function fault(
  code: ErrorCode,
  repeat: Fault['repeat'],
  message: string,
  details: CodedErrorDetails = {},
): Fault {
  return { error: new CodedError(code, message, details), repeat };
}

/** The errors of the HTTP library contain the request with its token, so only their name, code and message are kept. */
function bareCause(cause: unknown): Error {
  const bare = new Error(textMember(cause, 'message') ?? 'unknown fault');
  bare.name = textMember(cause, 'name') ?? 'Error';
  return Object.assign(bare, { code: textMember(cause, 'code') });
}

function textMember(value: unknown, key: 'code' | 'name' | 'message'): string | undefined {
  if (typeof value !== 'object' || value === null || !(key in value)) return undefined;
  const member: unknown = Reflect.get(value, key);
  return typeof member === 'string' && member !== '' ? member : undefined;
}
