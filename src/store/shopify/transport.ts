import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { CodedError } from '../../domain/errors.js';
import { type OutgoingAnswer, sendOutgoing } from '../../runtime/outgoing-http.js';
import type { Exchange } from './exchange.js';

/** The part of a request of `got`, the HTTP library of `shopify-api-node`, that is sent. */
interface LibraryRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}

/** The answer in the form that `got` takes from a hook in place of its own request. */
type LibraryAnswer = Readable & {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
  url: string;
};

/** The answer is decompressed and whole. The library must not decompress it again, and follows no redirect without an address. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'location',
]);

/** Sends the requests of `shopify-api-node`, as `got` offers it: a hook that runs before a request may return the answer. */
export class Transport {
  readonly #agents = {
    httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 16 }),
    httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 16 }),
  };

  /** `url`: where the requests go, in place of the address that the library makes from the shop's name. */
  constructor(
    private readonly url: URL,
    private readonly timeoutMs: number,
  ) {}

  /** Throws `OutgoingError` without a complete answer, and `transient` for one that is too large. */
  async answer(request: LibraryRequest, exchange: Exchange | undefined): Promise<LibraryAnswer> {
    if (exchange === undefined || typeof request.body !== 'string') {
      throw new TypeError('a call of the store without its exchange');
    }
    const answer = await sendOutgoing({
      method: request.method,
      url: this.url,
      headers: { ...textHeaders(request.headers), 'x-shopify-access-token': exchange.token },
      body: request.body,
      timeoutMs: this.timeoutMs,
      agents: this.#agents,
    });
    exchange.cut = answer.cut;
    if (answer.cut && answer.status < 300) throw new CodedError('transient', 'the answer is too large');
    return libraryAnswer(this.url, answer);
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

function libraryAnswer(url: URL, { status, headers, body }: OutgoingAnswer): LibraryAnswer {
  const kept = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name));
  return Object.assign(Readable.from([body], { objectMode: false }), {
    statusCode: status,
    headers: Object.fromEntries(kept),
    body,
    url: url.href,
    complete: true,
  });
}

function textHeaders(headers: LibraryRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
