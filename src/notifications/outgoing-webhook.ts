import type { Readable } from 'node:stream';
import axios from 'axios';
import { parseRetryAfterMs } from '../catalog/retry-after.js';
import { CodedError } from '../domain/errors.js';
import { messages } from './messages.js';

const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** Injection token of the `OutgoingWebhook`. */
export const OUTGOING_WEBHOOK = Symbol('OUTGOING_WEBHOOK');

export interface OutgoingWebhook {
  /**
   * Posts a message. Resolves within ten seconds when the receiver accepted it (2xx). Otherwise throws `transient` or
   * `invalid`, with the requested wait, and with `outcomeUnknown` when the receiver may have accepted it.
   */
  post(text: string): Promise<void>;
}

/** Posts a JSON text, with further headers. Resolves and throws as `OutgoingWebhook.post` does. */
export type OutgoingPost = (body: string, headers?: Readonly<Record<string, string>>) => Promise<void>;

/**
 * Posts to one address. The address is a secret, so errors and their causes do not contain it. Redirects are not followed, and only
 * the status of the response is read.
 */
export function outgoingPost(url: string, timeoutMs = TIMEOUT_MS): OutgoingPost {
  const isLoopback = LOOPBACK.test(new URL(url).hostname);
  return async (body, headers = {}) => {
    const answer = await axios
      .request<Readable>({
        url,
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', 'User-Agent': 'store-sync' },
        data: body,
        maxRedirects: 0,
        responseType: 'stream',
        decompress: false,
        validateStatus: () => true,
        signal: AbortSignal.timeout(timeoutMs),
        ...(isLoopback ? { proxy: false as const } : {}),
      })
      .catch((error: unknown) => {
        throw unanswered(error);
      });
    answer.data.on('error', () => undefined); // the rest of the body is not needed
    answer.data.destroy();
    if (answer.status >= 200 && answer.status < 300) return;
    throw refused(answer.status, answer.headers['retry-after']);
  };
}

/** Sends messages in the format of Slack's incoming webhooks: `{"text": "…"}`. */
export function outgoingWebhook(url: string, timeoutMs = TIMEOUT_MS): OutgoingWebhook {
  const post = outgoingPost(url, timeoutMs);
  return { post: (text) => post(JSON.stringify({ text: escaped(text) })) };
}

/** These three characters are markup in Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Without a cause, because axios errors contain the request with its address. */
function unanswered(error: unknown): CodedError {
  const code = axios.isAxiosError(error) ? (error.code ?? messages.noAnswer) : messages.noAnswer;
  const neverArrived = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
    code,
  );
  return new CodedError('transient', messages.receiverSilent(code), {
    outcomeUnknown: !neverArrived,
  });
}

function refused(status: number, retryAfter: unknown): CodedError {
  const retryAfterMs = typeof retryAfter === 'string' ? parseRetryAfterMs(retryAfter, new Date()) : undefined;
  const passing = status === 429 || status >= 500;
  return new CodedError(passing ? 'transient' : 'invalid', messages.receiverRefused(status), {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
