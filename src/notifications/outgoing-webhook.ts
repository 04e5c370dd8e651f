import type { Readable } from 'node:stream';
import axios from 'axios';
import { parseRetryAfterMs } from '../catalog/retry-after.js';
import { CodedError } from '../domain/errors.js';

const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** Injection token of the `OutgoingWebhook`. */
export const OUTGOING_WEBHOOK = Symbol('OUTGOING_WEBHOOK');

export interface OutgoingWebhook {
  /**
   * Posts a message; within ten seconds it has been taken (2xx) or this throws `transient` or `invalid`, with the wait that was
   * asked for, and `outcomeUnknown` when it may have been heard.
   */
  post(text: string): Promise<void>;
}

/**
 * A receiver of messages in the form that Slack's incoming webhooks take: `{"text": "…"}`. Its address is a secret: neither
 * errors nor their causes hold it. Redirects are not followed, and nothing of the answer but its status is read.
 */
export function outgoingWebhook(url: string, timeoutMs = TIMEOUT_MS): OutgoingWebhook {
  const isLoopback = LOOPBACK.test(new URL(url).hostname);
  return {
    post: async (text) => {
      const answer = await axios
        .request<Readable>({
          url,
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'User-Agent': 'store-sync' },
          data: JSON.stringify({ text: escaped(text) }),
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
      answer.data.on('error', () => undefined); // what is cut off here was not going to be read
      answer.data.destroy();
      if (answer.status >= 200 && answer.status < 300) return;
      throw refused(answer.status, answer.headers['retry-after']);
    },
  };
}

/** In Slack's text these three are markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Without a cause: axios keeps the request, address and all, in its errors. */
function unanswered(error: unknown): CodedError {
  const code = axios.isAxiosError(error) ? (error.code ?? 'no answer') : 'no answer';
  const neverHeard = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code);
  return new CodedError('transient', `the receiver of notifications did not answer (${code})`, {
    outcomeUnknown: !neverHeard,
  });
}

function refused(status: number, retryAfter: unknown): CodedError {
  const retryAfterMs = typeof retryAfter === 'string' ? parseRetryAfterMs(retryAfter, new Date()) : undefined;
  const passing = status === 429 || status >= 500;
  return new CodedError(
    passing ? 'transient' : 'invalid',
    `the receiver of notifications answered ${String(status)}`,
    { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  );
}
