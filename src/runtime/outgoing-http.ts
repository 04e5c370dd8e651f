import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import type { AxiosAdapter, AxiosHeaders, AxiosResponse } from 'axios';
import { MAX_ANSWER_BYTES, MAX_SHORT_ANSWER_BYTES } from '../domain/answer-bounds.js';
import { isLoopback } from '../domain/loopback.js';
import { ANSWERS } from './answers.js';
import { TimeLimit } from './time-limit.js';

export interface Agents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable | undefined;
  /** Time limit of the whole exchange, from connecting to the last byte of the response. */
  readonly timeoutMs: number;
  /** The largest body of a 2xx response, decompressed; 0: no body is read. Another status has at most `MAX_SHORT_ANSWER_BYTES`. */
  readonly maxBytes?: number | undefined;
  /** Connections to use again; without them each request opens its own. */
  readonly agents?: Agents | undefined;
  /** Ends the request with `OutgoingError`. */
  readonly closed?: AbortSignal | undefined;
  /** True: through the proxy that the environment names, unless the address is this machine's own. */
  readonly proxy?: boolean;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** True when the body was longer than the limit. Then only its beginning is kept. */
  readonly cut: boolean;
}

/**
 * A request without a complete response. It has the message and the code of its cause and nothing else: the HTTP library's own error
 * holds the request with its tokens.
 */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';

  constructor(
    message: string,
    /** The runtime's code, such as `ECONNREFUSED`; `ETIMEDOUT` when the time limit passed. */
    readonly code: string | undefined,
    /** True when the time limit of the request passed. */
    readonly late: boolean,
  ) {
    super(message);
  }
}

/** The runtime's codes of errors from before a request reached the other side. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** True for the code of an error after which the request cannot have been carried out. */
export function isNeverSent(code: string | undefined): boolean {
  return code !== undefined && NEVER_SENT.has(code);
}

/**
 * The part of axios that sends a request. `axios.request` merges its defaults into the configuration of each request first, and
 * nothing here uses them: that takes a third of its processor time. It is loaded with the first request, because commands that only read
 * send none.
 */
let adapter: Promise<{ send: AxiosAdapter; headers: typeof AxiosHeaders }> | undefined;
function loadedAdapter() {
  return (adapter ??= import('axios').then(({ default: axios, AxiosHeaders: headers }) => ({
    send: axios.getAdapter('http'),
    headers,
  })));
}

/**
 * Sends a request. Every request of the program goes through here, except the download of an export, which goes to a file. The response
 * has any status. It is bounded in bytes after decompression and in time, and a redirect is a response like any other. Throws
 * `OutgoingError`.
 */
export async function sendOutgoing(request: OutgoingRequest): Promise<OutgoingAnswer> {
  const { closed, timeoutMs, proxy = false, url } = request;
  const limit = new TimeLimit(timeoutMs);
  const close = (): void => {
    limit.abort();
  };
  closed?.addEventListener('abort', close, { once: true });
  if (closed?.aborted === true) close();
  const ended = ANSWERS.began(url);
  try {
    const { send, headers: Headers } = await loadedAdapter();
    // Given an aborted signal, the adapter would reject, and send the request all the same.
    limit.signal.throwIfAborted();
    const response: AxiosResponse<unknown> = await send({
      url: url.href,
      method: request.method,
      headers: new Headers({ ...request.headers }),
      data: dataOf(request.body),
      signal: limit.signal,
      maxRedirects: 0,
      maxBodyLength: Number.POSITIVE_INFINITY,
      responseType: 'stream',
      validateStatus: () => true,
      ...request.agents,
      ...(proxy && !isLoopback(url) ? {} : { proxy: false as const }),
    });
    const answer = await answerOf(response, request.maxBytes ?? MAX_ANSWER_BYTES);
    ended(GATEWAY_ERRORS.has(answer.status) ? 'unanswered' : 'answered');
    return answer;
  } catch (error) {
    ended(closed?.aborted === true ? 'given up' : 'unanswered');
    throw bareError(error, limit.passed, timeoutMs);
  } finally {
    limit.end();
    closed?.removeEventListener('abort', close);
  }
}

/** A proxy answers with these in place of a service that is down. */
const GATEWAY_ERRORS: ReadonlySet<number> = new Set([502, 503, 504]);

function dataOf(body: OutgoingRequest['body']): Readable | Buffer | undefined {
  if (body === undefined || body instanceof Readable) return body;
  return typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

async function answerOf(response: AxiosResponse<unknown>, maxBytes: number): Promise<OutgoingAnswer> {
  const { status, headers, data } = response;
  if (!(data instanceof Readable)) throw new TypeError('the answer is no stream');
  const most = status >= 200 && status < 300 ? maxBytes : Math.min(maxBytes, MAX_SHORT_ANSWER_BYTES);
  const read = most === 0 ? unread(data) : await readUpTo(data, most);
  return { status, headers: plainHeaders(headers), ...read };
}

type ReadBody = Pick<OutgoingAnswer, 'body' | 'cut'>;

function unread(stream: Readable): ReadBody {
  stream.on('error', () => undefined);
  stream.destroy();
  return { body: Buffer.alloc(0), cut: false };
}

/** The beginning of a body that is too large, for messages. */
const BEGINNING_BYTES = 4096;

/** A body of at most so many bytes, counted after decompression, so that a small response cannot become a huge one. */
function readUpTo(stream: Readable, most: number): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let size = 0;
    stream.on('data', (chunk: Uint8Array) => {
      // More chunks may come before the stream is closed.
      if (size > most) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size <= most) return;
      resolve({ body: Buffer.concat(chunks, Math.min(most, BEGINNING_BYTES)), cut: true });
      chunks = [];
      stream.destroy();
    });
    stream.once('end', () => {
      resolve({ body: Buffer.concat(chunks), cut: false });
    });
    stream.once('error', reject);
    stream.once('close', () => {
      reject(new Error('the answer broke off'));
    });
  });
}

function plainHeaders(headers: AxiosResponse['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
}

function bareError(error: unknown, late: boolean, timeoutMs: number): OutgoingError {
  if (late) return new OutgoingError(`no whole answer within ${String(timeoutMs)} ms`, 'ETIMEDOUT', true);
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return new OutgoingError(message, typeof code === 'string' ? code : undefined, false);
}
