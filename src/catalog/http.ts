import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import axios, { type AxiosResponse, AxiosHeaders } from 'axios';
import { CodedError } from '../domain/errors.js';
import { TimeLimit } from '../runtime/time-limit.js';
import type { Answer, AnswerErrors } from './answer-errors.js';
import { isLoopback } from './base-url.js';

/** Bytes, or a stream that can be opened again for every attempt. */
export type Payload = Uint8Array | (() => Readable);

export interface Exchange {
  readonly operation: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: Payload;
  /** True when the request may change something at the service. */
  readonly mutates: boolean;
  /** True opens a new connection. A kept-alive one may be closing, which would leave the outcome of the request unknown. */
  readonly freshConnection?: boolean;
  /** Time limit of the whole exchange, from connecting to the last byte of the response. */
  readonly timeoutMs: number;
}

export interface HttpOptions {
  readonly base: URL;
  readonly maxResponseBytes: number;
  readonly maxSockets: number;
  /** Aborts running requests when the client is closed. */
  readonly closed: AbortSignal;
}

const FRESH_AGENTS = {
  httpAgent: new HttpAgent({ keepAlive: false }),
  httpsAgent: new HttpsAgent({ keepAlive: false }),
};

/**
 * The part of axios that sends a request. `axios.request` merges its defaults into the configuration of each request first, and
 * nothing here uses them: that takes a third of its processor time.
 */
const send = axios.getAdapter('http');

/**
 * How long a connection is idle before the system probes it: the value that axios sets for each request. With another one here, the agent
 * would set its own after each response. Both calls together took a twentieth of a first load's processor time.
 */
const KEEP_ALIVE_MS = 60_000;

/** The start of an error body is enough to read its messages. */
const MAX_ERROR_BYTES = 1_000_000;

/**
 * Sends HTTP requests over keep-alive connections, without redirects, with a total time limit and bounded responses.
 * Throws only coded errors.
 */
export class Http {
  private readonly agents: { readonly httpAgent: HttpAgent; readonly httpsAgent: HttpsAgent };
  private readonly settings;
  private readonly underWay = new Set<TimeLimit>();

  constructor(
    private readonly options: HttpOptions,
    private readonly errors: AnswerErrors,
  ) {
    const connections = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets: options.maxSockets };
    this.agents = { httpAgent: new HttpAgent(connections), httpsAgent: new HttpsAgent(connections) };
    options.closed.addEventListener('abort', () => {
      for (const exchange of this.underWay) exchange.abort();
    });
    this.settings = {
      ...this.agents,
      maxRedirects: 0,
      maxBodyLength: Number.POSITIVE_INFINITY,
      responseType: 'stream',
      validateStatus: () => true,
      // A proxy of the environment is only for other hosts.
      ...(isLoopback(options.base) ? { proxy: false as const } : {}),
    } as const;
  }

  /**
   * The response with any status. Throws `transient` without a complete response, with `outcomeUnknown` if the
   * request may have arrived.
   */
  async exchange(exchange: Exchange): Promise<Answer> {
    const { operation, mutates, timeoutMs } = exchange;
    const limit = new TimeLimit(timeoutMs);
    this.underWay.add(limit);
    if (this.options.closed.aborted) limit.abort();
    const upload = openPayload(exchange.payload);
    try {
      // Given an aborted signal, the adapter would reject, and send the request all the same.
      limit.signal.throwIfAborted();
      const response: AxiosResponse<unknown> = await send({
        ...this.settings,
        url: exchange.url.href,
        method: exchange.method,
        headers: new AxiosHeaders({ ...exchange.headers }),
        data: upload.data,
        signal: limit.signal,
        ...(exchange.freshConnection === true ? FRESH_AGENTS : {}),
      });
      return await this.readAnswer(response);
    } catch (error) {
      if (upload.failure() !== undefined) {
        throw new CodedError('invalid', `catalog ${operation}: the file could not be read`, {
          cause: upload.failure(),
        });
      }
      if (limit.passed) throw this.errors.ofDeadline(operation, timeoutMs, mutates);
      if (this.options.closed.aborted) throw this.errors.ofClosed(operation, mutates);
      throw this.errors.ofNetwork(operation, error, mutates);
    } finally {
      limit.end();
      this.underWay.delete(limit);
      upload.close();
    }
  }

  /** Closes the keep-alive connections. */
  close(): void {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }

  private async readAnswer({ status, headers, data }: AxiosResponse<unknown>): Promise<Answer> {
    if (!(data instanceof Readable)) throw new TypeError('the answer is no stream');
    const limit = status >= 200 && status < 300 ? this.options.maxResponseBytes : MAX_ERROR_BYTES;
    const body = await readUpTo(data, limit + 1);
    return {
      status,
      headers: plainHeaders(headers),
      body: body.subarray(0, limit),
      cut: body.length > limit,
    };
  }
}

/**
 * At most `enough` bytes of the stream, counted after decompression, so that a small response cannot become a huge
 * one.
 */
function readUpTo(stream: Readable, enough: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const done = (): void => {
      resolve(Buffer.concat(chunks));
    };
    stream.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < enough) return;
      done();
      stream.destroy();
    });
    stream.once('end', done);
    stream.once('error', reject);
    stream.once('close', () => {
      reject(new Error('the answer broke off'));
    });
  });
}

function openPayload(payload: Payload | undefined) {
  if (typeof payload !== 'function') {
    const data = payload && Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    return { data, failure: () => undefined, close: () => undefined };
  }
  const stream = payload();
  let failure: unknown;
  stream.once('error', (error) => {
    failure ??= error;
  });
  return {
    data: stream,
    failure: () => failure,
    close: () => {
      // Closing a stream before its end is not a failure of the file.
      stream.on('error', () => undefined);
      stream.destroy();
    },
  };
}

function plainHeaders(headers: AxiosResponse['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
}
