import { createServer, type Server } from 'node:http';
import { listen } from '../../src/sandbox/shop-server.js';
import { post } from './deliveries.js';

const READY_FOR_MS = 250;
const HEALTH_WITHIN_MS = 1_000;

/** A load balancer: it forwards each request to one of the ready replicas, and answers 503 when there is none. */
export class Front {
  private known: { readonly addresses: readonly string[]; readonly at: number } | null = null;

  private constructor(
    private readonly server: Server,
    readonly url: string,
    private readonly replicas: readonly string[],
  ) {}

  static async start(replicas: readonly string[], random: () => number): Promise<Front> {
    const server = createServer();
    const front = new Front(server, await listen(server, 0), replicas);
    server.on('request', (request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
        const headers = Object.fromEntries(
          Object.entries(request.headers).filter(
            (entry): entry is [string, string] =>
              /^(x-|content-type)/.test(entry[0]) && typeof entry[1] === 'string',
          ),
        );
        const ready = await front.ready();
        const address = ready[Math.floor(random() * ready.length)];
        const status =
          address === undefined
            ? null
            : await post(`${address}${request.url ?? ''}`, Buffer.concat(chunks), headers);
        response.writeHead(status ?? 503).end();
      })().catch(() => response.destroy());
    });
    return front;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** As an orchestrator knows it: by asking now and then. */
  private async ready(): Promise<readonly string[]> {
    if (this.known !== null && performance.now() - this.known.at < READY_FOR_MS) return this.known.addresses;
    const asked = await Promise.all(
      this.replicas.map(async (address) => {
        const signal = AbortSignal.timeout(HEALTH_WITHIN_MS);
        const answer = await fetch(`${address}/health/ready`, { signal }).catch(() => null);
        return answer?.ok === true ? [address] : [];
      }),
    );
    this.known = { addresses: asked.flat(), at: performance.now() };
    return this.known.addresses;
  }
}
