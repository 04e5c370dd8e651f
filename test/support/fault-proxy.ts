import { EventEmitter, once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen } from '../../src/sandbox/shop-server.js';

/** The fault of a request instead of an unchanged response. */
export type ProxyFault =
  /** Answered by the proxy; the request does not reach the service. */
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Created for each request, because some contain a time. */
      readonly headers?: () => Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** A page of HTML with status 200, as a gateway's login or maintenance page. */
  | { readonly kind: 'html' }
  /** The connection is cut, before the service receives the request or after it has carried it out. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** Carried out, and only half of the answer's body arrives before the connection is cut. */
  | { readonly kind: 'truncate' }
  /** Neither passed on nor answered: silence until the caller gives up. */
  | { readonly kind: 'drop' }
  /** Passed on after `ms` milliseconds. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** The answer comes in pieces, over `ms` milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Carried out twice, as by a gateway that repeats; the second answer is the one that arrives. */
  | { readonly kind: 'duplicate' }
  /** Passed on once the next request was answered, or after `ms` milliseconds without one. */
  | { readonly kind: 'reorder'; readonly ms: number };

export interface FaultScope {
  /** How many requests meet it; 1 by default, Infinity for all. */
  readonly count?: number;
  readonly method?: string;
  /** Of the path with its query. */
  readonly path?: RegExp;
}

export interface ProxiedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** The fault that it met; null when it passed. */
  readonly fault: ProxyFault['kind'] | null;
}

interface Armed {
  readonly fault: ProxyFault;
  readonly scope: FaultScope;
  left: number;
}

/** An HTTP proxy in front of one service, which passes everything on until a test makes it fail. */
export class FaultProxy {
  readonly requests: ProxiedRequest[] = [];
  private armed: Armed[] = [];
  private readonly answered = new EventEmitter();
  private readonly stopping = new AbortController();

  private constructor(
    private readonly server: Server,
    /** The target's URL, by way of the proxy. */
    readonly url: string,
    private readonly target: URL,
  ) {}

  /** In front of `target`, an http: URL; its path is kept in `url`. */
  static async start(target: string): Promise<FaultProxy> {
    const server = createServer();
    const { pathname } = new URL(target);
    const url = `${await listen(server, 0)}${pathname.replace(/\/$/, '')}`;
    const proxy = new FaultProxy(server, url, new URL(target));
    server.on('request', (incoming, outgoing) => {
      // A failure of the service becomes a broken connection for the client.
      proxy.take(incoming, outgoing).catch(() => outgoing.destroy());
    });
    return proxy;
  }

  /** Faults are met in the order in which they were armed; a request meets one at most. */
  arm(fault: ProxyFault, scope: FaultScope = {}): void {
    this.armed.push({ fault, scope, left: scope.count ?? 1 });
  }

  /** Faults that no request has met yet. */
  get waiting(): number {
    return this.armed.length;
  }

  clear(): void {
    this.armed = [];
  }

  /** Breaks the connections of requests that wait. */
  cutAll(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await close(this.server);
  }

  private next(method: string, path: string): ProxyFault | null {
    const met = this.armed.find(
      ({ scope }) => (scope.method ?? method) === method && (scope.path?.test(path) ?? true),
    );
    if (!met) return null;
    met.left -= 1;
    if (met.left <= 0) this.armed = this.armed.filter((each) => each !== met);
    return met.fault;
  }

  private async take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const method = incoming.method ?? 'GET';
    const path = incoming.url ?? '/';
    const fault = this.next(method, path);
    this.requests.push({ at: Date.now(), method, path, fault: fault?.kind ?? null });
    switch (fault?.kind) {
      case 'status':
        outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers?.() });
        outgoing.end(fault.body ?? '{"detail":"by the proxy"}');
        return;
      case 'html':
        outgoing
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<html><body>Be right back</body></html>');
        return;
      case 'drop':
        return;
      case 'reset':
        if (fault.when === 'after') await this.forward(incoming, Buffer.concat(chunks));
        outgoing.destroy();
        return;
      case 'latency':
        // A stopped proxy has closed the connection, so it does not wait.
        await sleep(fault.ms, undefined, { signal: this.stopping.signal });
        break;
      case 'duplicate':
        await this.forward(incoming, Buffer.concat(chunks));
        break;
      case 'reorder':
        await Promise.race([once(this.answered, 'answer'), sleep(fault.ms)]);
        break;
      case 'slow':
      case 'truncate':
      case undefined:
        break;
    }
    const answer = await this.forward(incoming, Buffer.concat(chunks));
    this.answered.emit('answer');
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
    if (fault?.kind === 'slow') await inPieces(outgoing, answer.body, fault.ms);
    if (fault?.kind !== 'truncate') {
      outgoing.end(fault?.kind === 'slow' ? undefined : answer.body);
      return;
    }
    outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => outgoing.destroy());
  }

  private async forward(
    incoming: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; headers: Record<string, string | string[]>; body: Buffer }> {
    const passed = request({
      host: this.target.hostname,
      port: this.target.port,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
    });
    passed.end(body);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !['transfer-encoding', 'content-length', 'connection'].includes(name))
        headers[name] = value;
    }
    return { status: answer.statusCode ?? 502, headers, body: Buffer.concat(chunks) };
  }
}

const PIECES = 8;

async function inPieces(outgoing: ServerResponse, body: Buffer, ms: number): Promise<void> {
  const size = Math.max(1, Math.ceil(body.length / PIECES));
  for (let start = 0; start < body.length; start += size) {
    outgoing.write(body.subarray(start, start + size));
    await sleep(ms / PIECES);
  }
}
