import { CodedError } from '../../domain/errors.js';
import { withoutSecrets } from '../../domain/text.js';
import { type Envelope, envelopeSchema, type GraphqlError, type QueryCost } from './answer.js';
import { type Fault, graphqlFault, httpFault, networkFault, oddAnswerFault } from './faults.js';

/** One attempt, as the HTTP library's hooks saw it. The result of `graphql()` omits extensions and headers. */
export interface Exchange {
  readonly token: string;
  status: number | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
  /** True when the body was too large and was truncated. */
  cut: boolean;
}

export interface ReadContext {
  readonly operation: string;
  /** Milliseconds. */
  readonly now: number;
  /** Removed from all messages of the store, in case it repeats one. */
  readonly secrets: readonly string[];
}

/**
 * The result of an attempt: the envelope with complete data, or the fault. `thrown` is the error of the HTTP library,
 * if any. It throws for responses with errors, too, so the received response decides.
 */
export function readExchange(
  exchange: Exchange,
  thrown: unknown,
  { operation, now, secrets }: ReadContext,
): { envelope: Envelope } | { fault: Fault; cost?: QueryCost | undefined } {
  const where = whereOf(exchange);
  // The hook is not called for a body that is not JSON.
  if (exchange.cut && exchange.status === null) {
    return { fault: oddAnswerFault(operation, 'more bytes than are read', '') };
  }
  if (exchange.status === null) return { fault: unreadable(operation, thrown) };
  if (exchange.status < 200 || exchange.status > 299) {
    const answer = { status: exchange.status, retryAfter: header(exchange, 'retry-after') };
    return { fault: httpFault(operation, answer, where, now) };
  }
  const envelope = envelopeSchema.safeParse(exchange.body);
  if (!envelope.success) {
    return { fault: oddAnswerFault(operation, 'something that is no GraphQL answer', where, envelope.error) };
  }
  const { errors, data, extensions } = envelope.data;
  const cost = extensions?.cost;
  if (errors !== undefined && errors !== null && errors.length > 0) {
    return { fault: throttledFor(graphqlFault(operation, redacted(errors, secrets), where), cost), cost };
  }
  if (data === undefined || data === null) {
    return { fault: oddAnswerFault(operation, 'no data', where), cost };
  }
  return { envelope: envelope.data };
}

function redacted(
  errors: string | readonly GraphqlError[],
  secrets: readonly string[],
): string | readonly GraphqlError[] {
  if (typeof errors === 'string') return withoutSecrets(errors, secrets);
  return errors.map((error) => ({ ...error, message: withoutSecrets(error.message, secrets) }));
}

/** THROTTLED implies the wait: (requested − available) / restore rate. */
function throttledFor(fault: Fault, cost: QueryCost | undefined): Fault {
  if (fault.error.code !== 'throttled' || cost === undefined) return fault;
  const { currentlyAvailable, restoreRate } = cost.throttleStatus;
  const missing = Math.max(0, cost.requestedQueryCost - currentlyAvailable);
  const retryAfterMs = Math.max(50, Math.ceil((missing / restoreRate) * 1000));
  const { message, cause } = fault.error;
  return { ...fault, error: new CodedError('throttled', message, { cause, retryAfterMs }) };
}

function unreadable(operation: string, thrown: unknown): Fault {
  const isParseError = thrown instanceof Error && thrown.name === 'ParseError';
  return isParseError
    ? oddAnswerFault(operation, 'something that is not JSON', '')
    : networkFault(operation, thrown);
}

export function header(exchange: Exchange, name: string): string | undefined {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function whereOf(exchange: Exchange): string {
  const id = header(exchange, 'x-request-id');
  return id === undefined ? '' : ` [request ${id}]`;
}
