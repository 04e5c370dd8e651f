import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The fault of a request instead of an unchanged response. */
export type ProxyFault =
  /** Answered by the proxy; the request does not reach the service. */
  | { readonly kind: 'status'; readonly status: number }
  /** Neither passed on nor answered: silence until the caller gives up. */
  | { readonly kind: 'drop' }
  /** Passed on after `ms` milliseconds. */
  | { readonly kind: 'latency'; readonly ms: number };

export interface FaultScope {
  /** How many requests meet it; 1 by default, Infinity for all. */
  readonly count?: number;
  /** Of the path with its query. */
  readonly path?: RegExp;
}

interface Armed {
  readonly fault: ProxyFault;
  readonly scope: FaultScope;
  left: number;
}

/** An HTTP proxy in front of one service, which passes everything on until a test makes it fail. */
export class FaultProxy {
  /** The faults that requests have met. */
  readonly met: ProxyFault['kind'][] = [];
  private armed: Armed[] = [];
  private readonly stopping = new AbortController();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  /** In front of `target`, an http: URL; its path is kept in `url`. */
  static async start(target: string): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, new URL(target));
    server.on('request', (incoming, outgoing) => {
      // A failure of the service becomes a broken connection for the client.
      proxy.take(incoming, outgoing).catch(() => outgoing.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The target's URL, by way of the proxy. */
  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return `http://127.0.0.1:${address.port}${this.target.pathname.replace(/\/$/, '')}`;
  }

  /** Faults are met in the order in which they were armed; a request meets one at most. */
  arm(fault: ProxyFault, scope: FaultScope = {}): void {
    this.armed.push({ fault, scope, left: scope.count ?? 1 });
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
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private next(path: string): ProxyFault | null {
    const met = this.armed.find(({ scope }) => scope.path?.test(path) ?? true);
    if (!met) return null;
    met.left -= 1;
    if (met.left <= 0) this.armed = this.armed.filter((each) => each !== met);
    return met.fault;
  }

  private async take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const fault = this.next(incoming.url ?? '/');
    if (fault !== null) this.met.push(fault.kind);
    if (fault?.kind === 'drop') return;
    if (fault?.kind === 'status') {
      outgoing.writeHead(fault.status, { 'content-type': 'application/json' });
      outgoing.end('{"detail":"by the proxy"}');
      return;
    }
    // A stopped proxy has closed the connection, so it does not wait.
    if (fault?.kind === 'latency') await sleep(fault.ms, undefined, { signal: this.stopping.signal });
    const answer = await this.forward(incoming, Buffer.concat(chunks));
    outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
    outgoing.end(answer.body);
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
