import { CodedError, type CodedErrorDetails, type ErrorCode } from '../domain/errors.js';
import { readFieldMessages } from './field-messages.js';
import type { Redactor } from './redaction.js';
import { parseRetryAfterMs } from '../domain/retry-after.js';
import { isNeverSent, type OutgoingAnswer, type OutgoingError } from '../runtime/outgoing-http.js';
import { isRecord, readUntrustedJson } from '../runtime/untrusted-json.js';

/**
 * Translates a failed request into a coded error, by status and by the runtime's error codes, never by message text
 * (docs/catalog-rules.md#errors; docs/decisions/0023-errors-have-codes.md). Texts of the service are bounded and
 * redacted.
 */
export class AnswerErrors {
  constructor(private readonly redactor: Redactor) {}

  /** The error of any response that is not 2xx. `mutates`: the request may have changed something. */
  ofStatus(operation: string, answer: OutgoingAnswer, mutates: boolean, now: Date): CodedError {
    const { status } = answer;
    const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], now);
    const code = codeOfStatus(status, retryAfterMs !== undefined);
    const details: CodedErrorDetails = {
      status,
      ...(code === 'throttled' || code === 'transient' ? { retryAfterMs } : {}),
      ...(code === 'invalid' ? { fields: this.fields(answer) } : {}),
      outcomeUnknown: mutates && code === 'transient',
    };
    return new CodedError(code, this.statusMessage(operation, answer, code), details);
  }

  /** The error of an unusable 2xx response: HTML, truncated, empty, too large, of another shape. */
  ofUnreadable(operation: string, answer: OutgoingAnswer, mutates: boolean, problem: string): CodedError {
    const beginning = this.redactor.excerpt(new TextDecoder().decode(answer.body.subarray(0, 4096)));
    const shown = beginning === '' ? '' : `: ${beginning}`;
    return new CodedError(
      'transient',
      `catalog ${operation} answered ${String(answer.status)} with ${problem}${shown}`,
      { status: answer.status, outcomeUnknown: mutates },
    );
  }

  /** For a request without a complete response. */
  ofNetwork(operation: string, cause: OutgoingError, mutates: boolean): CodedError {
    const reason = cause.code ?? this.redactor.excerpt(cause.message);
    return new CodedError('transient', `catalog ${operation} got no answer (${reason})`, {
      cause,
      outcomeUnknown: mutates && !isNeverSent(cause.code),
    });
  }

  ofDeadline(operation: string, timeoutMs: number, mutates: boolean): CodedError {
    return new CodedError(
      'transient',
      `catalog ${operation} got no whole answer within ${String(timeoutMs)} ms`,
      {
        outcomeUnknown: mutates,
      },
    );
  }

  /** The error of requests that were running or waiting when the client was closed. */
  ofClosed(operation: string, mutates: boolean): CodedError {
    return new CodedError('transient', `catalog ${operation} was given up: the client was closed`, {
      outcomeUnknown: mutates,
    });
  }

  private statusMessage(operation: string, answer: OutgoingAnswer, code: ErrorCode): string {
    const head = `catalog ${operation} answered ${String(answer.status)}`;
    if (answer.status >= 300 && answer.status < 400) return `${head}: redirected to ${this.location(answer)}`;
    if (answer.status === 403) return `${head}: missing permission or subscription${this.detail(answer)}`;
    if (answer.status === 405) return `${head}: method not allowed there${this.detail(answer)}`;
    // Field messages are part of `fields` and are printed from there.
    return code === 'invalid' ? head : `${head}${this.detail(answer)}`;
  }

  /** docs/catalog-rules.md#errors: `detail`, or an excerpt of any other body. */
  private detail(answer: OutgoingAnswer): string {
    const json = readUntrustedJson(answer.body);
    const said = json.ok && isRecord(json.value) ? json.value['detail'] : undefined;
    const text = typeof said === 'string' ? said : new TextDecoder().decode(answer.body.subarray(0, 4096));
    const excerpt = this.redactor.excerpt(text);
    return excerpt === '' ? '' : `: ${excerpt}`;
  }

  private fields(answer: OutgoingAnswer): Readonly<Record<string, readonly string[]>> {
    const json = readUntrustedJson(answer.body);
    const body: unknown = json.ok ? json.value : new TextDecoder().decode(answer.body.subarray(0, 4096));
    return readFieldMessages(body, (text) => this.redactor.excerpt(text, 300));
  }

  /** Only origin and path, because a query may contain confidential data. */
  private location(answer: OutgoingAnswer): string {
    const value = answer.headers['location'] ?? '';
    if (!URL.canParse(value)) return this.redactor.excerpt(value.split('?', 1)[0] ?? '') || 'nowhere';
    const url = new URL(value);
    return this.redactor.excerpt(`${url.origin}${url.pathname}`);
  }
}

/**
 * Codes by status (docs/decisions/0023-errors-have-codes.md). A 503 is throttling only with a Retry-After. Without
 * one it is a fault like any other 5xx.
 */
function codeOfStatus(status: number, hasRetryAfter: boolean): ErrorCode {
  if (status >= 500) return status === 503 && hasRetryAfter ? 'throttled' : 'transient';
  if (status < 400) return 'misconfigured';
  switch (status) {
    case 401:
    case 402:
    case 403:
    case 407:
      return 'auth';
    case 404:
    case 410:
      return 'not_found';
    case 405:
      return 'misconfigured';
    case 408:
    case 429:
      return 'throttled';
    case 409:
      return 'conflict';
    default:
      return 'invalid';
  }
}
