import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen } from '../../src/sandbox/shop-server.js';

/** A write that came through a door. */
export interface SeenWrite {
  /** Milliseconds since the epoch, when its request had arrived. */
  readonly at: number;
  /** Number of the replica that sent it. */
  readonly replica: number;
  readonly externalId: string;
}

/** Where the door leads: the shop's name and its sandbox's address. */
export interface DoorTarget {
  readonly shop: string;
  readonly url: string;
}

const PRODUCT = /gid:\/\/shopify\/Product\/(\d+)/;

/** The way of one replica to all stores, which are paths below its address. It keeps who wrote which product when. */
export class StoreDoor {
  readonly writes: SeenWrite[] = [];

  private constructor(
    private readonly server: Server,
    private readonly url: string,
    private readonly replica: number,
    private readonly targets: ReadonlyMap<string, DoorTarget>,
  ) {}

  static async open(replica: number, targets: ReadonlyMap<string, DoorTarget>): Promise<StoreDoor> {
    const server = createServer();
    const door = new StoreDoor(server, await listen(server, 0), replica, targets);
    server.on('request', (incoming, outgoing) => {
      // A sender that was killed breaks its connection.
      door.pass(incoming, outgoing).catch(() => outgoing.destroy());
    });
    return door;
  }

  urlOf(key: string): string {
    return `${this.url}/${key}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, key = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(incoming.url ?? '') ?? [];
    const target = this.targets.get(key);
    if (target === undefined) throw new Error(`no store is at ${String(incoming.url)}`);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    this.note(target.shop, body.toString());
    const { hostname, port } = new URL(target.url);
    const { method, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers, agent: false });
    passed.end(body);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  }

  private note(shop: string, body: string): void {
    if (!body.includes('productUpdate')) return;
    const id = PRODUCT.exec(body)?.[1];
    if (id === undefined) throw new Error(`a write of no product: ${body.slice(0, 200)}`);
    this.writes.push({ at: Date.now(), replica: this.replica, externalId: `shopify:${shop}:${id}` });
  }
}
