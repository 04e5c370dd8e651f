import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** PostgreSQL's answer to every connection while it starts or recovers. */
const STARTING_UP = ((): Buffer => {
  const fields = Buffer.from('SFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** A door to a TCP server that can be shut, or go silent, or say that PostgreSQL is starting, and be opened again on the same port. */
export class Gate {
  private readonly sockets = new Set<Socket>();
  private state: 'open' | 'shut' | 'silent' | 'starting' = 'open';

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {}

  static async before(target: { readonly host: string; readonly port: number }): Promise<Gate> {
    const server = createServer({ allowHalfOpen: false });
    const gate = new Gate(server, target);
    server.on('connection', (socket) => {
      gate.take(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gate;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the gate has no port');
    return address.port;
  }

  open(): void {
    this.state = 'open';
  }

  /** Every connection is cut, and every new one at once. */
  shut(): void {
    this.state = 'shut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** Connections stay and new ones are taken, but nothing passes any more: a server that hangs. */
  silence(): void {
    this.state = 'silent';
    for (const socket of this.sockets) socket.unpipe();
  }

  /** Every connection is cut, and every new one answered as PostgreSQL does while it starts. */
  sayStarting(): void {
    this.shut();
    this.state = 'starting';
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private take(incoming: Socket): void {
    this.keep(incoming);
    if (this.state === 'shut') incoming.destroy();
    if (this.state === 'starting') incoming.once('data', () => incoming.end(STARTING_UP));
    if (this.state !== 'open') return;
    const outgoing = connect(this.target);
    this.keep(outgoing);
    incoming.once('close', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    // A connection that breaks is what this is for.
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
