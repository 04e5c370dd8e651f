import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
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

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
    const receiver = new Receiver(server, `http://127.0.0.1:${address.port}`);
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

  at(path: string): readonly Received[] {
    return this.received.filter((request) => request.path === path);
  }

  /** Resolves once `count` deliveries came to `path`. */
  async waitFor(path: string, count: number): Promise<readonly Received[]> {
    while (this.at(path).length < count) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
    return this.at(path);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private take(request: Received, response: ServerResponse): void {
    this.received.push(request);
    const replies = this.replies.get(request.path) ?? [200];
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === 'reset') response.socket?.destroy();
    else if (typeof reply === 'number') response.writeHead(reply).end();
    else if (typeof reply === 'object') response.writeHead(302, { location: reply.redirect }).end();
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
