import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { close, listen } from '../../../src/sandbox/shop-server.js';

const messageSchema = z.strictObject({ text: z.string() });

/** A receiver of notifications that records them and answers as configured. */
export class Receiver {
  /** Texts that were answered with 2xx, in order. */
  readonly taken: string[] = [];
  requests = 0;
  /** The status of the answers from now on. `hang` never answers, and `cut` closes the connection after the message arrived. */
  answer: number | 'hang' | 'cut' = 200;
  headers: Record<string, string> = {};

  private constructor(
    private readonly server: Server,
    private readonly origin: string,
  ) {}

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server, await listen(server, 0));
    server.on('request', (request, response) => void receiver.#receive(request, response));
    return receiver;
  }

  /** With a path that is a secret, as Slack's is. */
  url(path = '/services/T0/B0/canary-in-the-path?sig=canary-in-the-query'): string {
    return `${this.origin}${path}`;
  }

  reset(): void {
    this.taken.length = 0;
    this.requests = 0;
    this.answer = 200;
    this.headers = {};
  }

  close(): Promise<void> {
    return close(this.server);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (this.answer === 'hang') return;
    if (this.answer === 'cut') {
      request.socket.destroy();
      return;
    }
    const { text } = messageSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
    if (this.answer >= 200 && this.answer < 300) this.taken.push(text);
    response.writeHead(this.answer, this.headers).end('ok');
  }
}
