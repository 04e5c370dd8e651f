import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { BoundedExpressAdapter, connectionsWithin } from './http-server.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

async function serve(limit: number): Promise<number> {
  const adapter = new BoundedExpressAdapter(limit);
  adapter.initHttpServer();
  adapter
    .getInstance<{ use(handler: (request: unknown, response: { end(text: string): void }) => void): void }>()
    .use((_request, response) => {
      response.end('hello');
    });
  const server = adapter.getHttpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function closing(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

const status = async (port: number): Promise<number> =>
  (await fetch(`http://127.0.0.1:${String(port)}/`)).status;

describe('the HTTP server', () => {
  it('closes the connection that is incomplete longest when there are too many', async () => {
    const port = await serve(3);
    const halfSent: Socket[] = [];
    for (let count = 0; count < 5; count += 1)
      halfSent.push(await opened(port, 'POST / HTTP/1.1\r\nhost: here\r\ncontent-le'));
    const closed = halfSent.map(closing);
    expect(await status(port)).toBe(200);
    await Promise.all(closed.slice(0, 3));
    expect(halfSent.at(-1)?.destroyed).toBe(false);
  });

  it('answers every request while hundreds of connections stay half-sent', async () => {
    const port = await serve(50);
    for (let count = 0; count < 300; count += 1) await opened(port, 'GET / HTTP/1.1\r\nhost: he');
    for (let count = 0; count < 20; count += 1) expect(await status(port)).toBe(200);
  });
});

describe('the limit of connections', () => {
  it.each([
    [2000, null, 2000, false],
    [2000, 65_536, 2000, false],
    [2000, 1024, 824, true],
    [2000, 256, 128, true],
  ])('of %j within %j open files is %j', (wanted, openFiles, limit, reduced) => {
    expect(connectionsWithin(wanted, openFiles)).toEqual({ limit, openFiles, reduced });
  });
});
