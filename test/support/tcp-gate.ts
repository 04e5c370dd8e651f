import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** PostgreSQL's answer to every connection while it starts or recovers. */
const STARTING_UP = ((): Buffer => {
  const fields = Buffer.from('SFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/**
 * A proxy in front of a TCP server. It can cut every connection, go silent, or answer that PostgreSQL is starting, and forward again on
 * the same port.
 */
export class TcpGate {
  private readonly sockets = new Set<Socket>();
  private state: 'open' | 'shut' | 'silent' | 'starting' = 'open';

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {}

  static async before(target: { readonly host: string; readonly port: number }): Promise<TcpGate> {
    const server = createServer({ allowHalfOpen: false });
    const gate = new TcpGate(server, target);
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

  /** Cuts every connection, and every later one as soon as it is made. */
  shut(): void {
    this.state = 'shut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** Keeps connections and accepts new ones, but forwards nothing, like a server that hangs. */
  silence(): void {
    this.state = 'silent';
    for (const socket of this.sockets) socket.unpipe();
  }

  /** Cuts every connection, and answers every later one as PostgreSQL does while it starts. */
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
    // Broken connections are what the tests want.
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
