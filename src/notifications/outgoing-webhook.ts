import { parseRetryAfterMs } from '../domain/retry-after.js';
import { CodedError } from '../domain/errors.js';
import { OutgoingError, sendOutgoing } from '../runtime/outgoing-http.js';

const TIMEOUT_MS = 10_000;

/**
 * Posts a JSON text, with further headers. Resolves within ten seconds when the receiver accepted it (2xx). Otherwise throws `transient` or
 * `invalid`, with the requested wait, and with `outcomeUnknown` when the receiver may have accepted it.
 */
export type OutgoingPost = (body: string, headers?: Readonly<Record<string, string>>) => Promise<void>;

/**
 * Posts to one address. The address is a secret, so errors and their causes do not contain it. Redirects are not followed, and
 * only the status of the response is used.
 */
export function outgoingPost(url: string, timeoutMs = TIMEOUT_MS): OutgoingPost {
  return async (body, headers = {}) => {
    const answer = await sendOutgoing({
      url: new URL(url),
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', 'User-Agent': 'store-sync' },
      body,
      timeoutMs,
      maxBytes: 0,
      proxy: true,
    }).catch((error: unknown) => {
      throw unanswered(error);
    });
    if (answer.status >= 200 && answer.status < 300) return;
    throw refused(answer.status, answer.headers['retry-after']);
  };
}

/** The error has no cause, because the message of the cause may contain the address. */
function unanswered(error: unknown): CodedError {
  const code = (error instanceof OutgoingError ? error.code : undefined) ?? 'no answer';
  const neverArrived = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
    code,
  );
  return new CodedError('transient', `the receiver of notifications did not answer (${code})`, {
    outcomeUnknown: !neverArrived,
  });
}

function refused(status: number, retryAfter: unknown): CodedError {
  const retryAfterMs = typeof retryAfter === 'string' ? parseRetryAfterMs(retryAfter, new Date()) : undefined;
  const passing = status === 429 || status >= 500;
  return new CodedError(
    passing ? 'transient' : 'invalid',
    `the receiver of notifications answered ${String(status)}`,
    {
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
}
