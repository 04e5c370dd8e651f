import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds of the process's own clock. */
  readonly at: number;
}

/** Where the receiver listens, and the origin under which the service reaches it. */
export interface ReceiverAddress {
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
}

/** A status; or silence until the sender gives up; or a connection that breaks. */
export type Reply = number | 'silence' | 'reset' | { readonly redirect: string };

/** Takes deliveries. It answers 200 unless the path has another status. */
export class Receiver {
  private readonly received: Received[] = [];
  private readonly replies = new Map<string, Reply[]>();
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly origin: string,
  ) {}

  static async start({ host = '127.0.0.1', port = 0, publicUrl }: ReceiverAddress = {}): Promise<Receiver> {
    const server = createServer();
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
    const receiver = new Receiver(
      server,
      publicUrl?.replace(/\/$/, '') ?? `http://127.0.0.1:${address.port}`,
    );
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.take(
          {
            path: request.url ?? '',
            method: request.method ?? '',
            headers: request.headers,
            body: Buffer.concat(chunks),
            at: performance.now(),
          },
          response,
        );
      });
    });
    return receiver;
  }

  url(path: string): string {
    return this.origin + path;
  }

  /** The first delivery to `path` is answered by the first reply, and so on; the last one serves all that follow. */
  answer(path: string, ...replies: Reply[]): void {
    this.replies.set(path, replies);
  }

  /** The requests to `path`, also below the path of the public URL. */
  at(path: string): readonly Received[] {
    return this.received.filter((request) => request.path.endsWith(path));
  }

  /** Resolves once `count` deliveries came to `path`; fails after `waitMs`. */
  async waitFor(path: string, count: number, waitMs = 60_000): Promise<readonly Received[]> {
    const deadline = performance.now() + waitMs;
    while (this.at(path).length < count) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`${path} got ${this.at(path).length} of ${count} deliveries`);
      await this.nextWithin(leftMs);
    }
    return this.at(path);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async nextWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      this.waiting.push(resolve);
    });
    clearTimeout(timer);
  }

  private take(request: Received, response: ServerResponse): void {
    this.received.push(request);
    const path = [...this.replies.keys()].find((known) => request.path.endsWith(known));
    const replies = (path === undefined ? undefined : this.replies.get(path)) ?? [200];
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === 'reset') response.socket?.destroy();
    else if (typeof reply === 'number') response.writeHead(reply).end();
    else if (typeof reply === 'object') response.writeHead(302, { location: reply.redirect }).end();
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
