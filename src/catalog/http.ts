import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { CodedError } from '../domain/errors.js';
import { type Agents, type OutgoingAnswer, OutgoingError, sendOutgoing } from '../runtime/outgoing-http.js';
import type { AnswerErrors } from './answer-errors.js';

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
  readonly maxResponseBytes: number;
  readonly maxSockets: number;
  /** Aborts running requests when the client is closed. */
  readonly closed: AbortSignal;
}

const FRESH_AGENTS: Agents = {
  httpAgent: new HttpAgent({ keepAlive: false }),
  httpsAgent: new HttpsAgent({ keepAlive: false }),
};

/** Sends the catalog's requests over keep-alive connections. Throws only coded errors. */
export class Http {
  private readonly agents: Agents;

  constructor(
    private readonly options: HttpOptions,
    private readonly errors: AnswerErrors,
  ) {
    const connections = { keepAlive: true, maxSockets: options.maxSockets };
    this.agents = { httpAgent: new HttpAgent(connections), httpsAgent: new HttpsAgent(connections) };
  }

  /**
   * The response with any status. Throws `transient` without a complete response, with `outcomeUnknown` if the
   * request may have arrived.
   */
  async exchange(exchange: Exchange): Promise<OutgoingAnswer> {
    const { operation, mutates, method, url, headers, timeoutMs } = exchange;
    const upload = openPayload(exchange.payload);
    try {
      return await sendOutgoing({
        method,
        url,
        headers,
        body: upload.body,
        timeoutMs,
        maxBytes: this.options.maxResponseBytes,
        agents: exchange.freshConnection === true ? FRESH_AGENTS : this.agents,
        closed: this.options.closed,
        proxy: true,
      });
    } catch (error) {
      if (upload.failure() !== undefined) {
        throw new CodedError('invalid', `catalog ${operation}: the file could not be read`, {
          cause: upload.failure(),
        });
      }
      if (!(error instanceof OutgoingError)) throw error;
      if (error.late) throw this.errors.ofDeadline(operation, timeoutMs, mutates);
      if (this.options.closed.aborted) throw this.errors.ofClosed(operation, mutates);
      throw this.errors.ofNetwork(operation, error, mutates);
    } finally {
      upload.close();
    }
  }

  /** Closes the keep-alive connections. */
  close(): void {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }
}

function openPayload(payload: Payload | undefined) {
  if (typeof payload !== 'function') {
    return { body: payload, failure: () => undefined, close: () => undefined };
  }
  const stream = payload();
  let failure: unknown;
  stream.once('error', (error) => {
    failure ??= error;
  });
  return {
    body: stream,
    failure: () => failure,
    close: () => {
      // Closing a stream before its end is not a failure of the file.
      stream.on('error', () => undefined);
      stream.destroy();
    },
  };
}
