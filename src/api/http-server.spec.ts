import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, Socket, type AddressInfo } from 'node:net';
import type { Express, Request, Response } from 'express';
import { ownPort } from '../../test/support/ports.js';
import { until } from '../../test/support/until.js';
import { BoundedExpressAdapter, connectionsWithin } from './http-server.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

async function serve(limit: number): Promise<number> {
  return (await served(limit)).port;
}

async function served(
  limit: number,
  prepare: (app: Express, adapter: BoundedExpressAdapter) => void = () => undefined,
): Promise<{ adapter: BoundedExpressAdapter; port: number }> {
  const adapter = new BoundedExpressAdapter(limit);
  adapter.initHttpServer();
  prepare(adapter.getInstance<Express>(), adapter);
  adapter.getInstance<Express>().use(adapter.separatePorts, (_request, response) => {
    response.end('hello');
  });
  const server = adapter.getHttpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { adapter, port: (server.address() as AddressInfo).port };
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

const answerTo = async (port: number, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${String(port)}${path}`, { method: 'POST' })).text();

const status = async (port: number, path = '/'): Promise<number> =>
  (await fetch(`http://127.0.0.1:${String(port)}${path}`)).status;

describe('the HTTP server', () => {
  it('asks the routes of webhooks before routes that were added earlier', async () => {
    const { adapter, port } = await served(3, (app, { webhooks }) => app.use(webhooks));
    for (const path of ['/webhooks/catalog/:workspace', '/plans'])
      adapter.post(path, (_request: Request, response: Response) => {
        response.end(path);
      });
    expect(await answerTo(port, '/webhooks/catalog/default')).toBe('/webhooks/catalog/:workspace');
    expect(await answerTo(port, '/plans')).toBe('hello');
  });

  it('closes the connection that has sent nothing for longest when it is full, and answers the newcomer', async () => {
    const port = await serve(3);
    const open: Socket[] = [];
    for (let count = 0; count < 3; count += 1) open.push(await opened(port, 'GET / HTTP/1.1\r\nhost: he'));
    expect(await status(port)).toBe(200);
    await closing(open[0] ?? new Socket());
    open[1]?.write('re\r\n\r\n');
    const [answer] = (await once(open[1] ?? new Socket(), 'data')) as [Buffer];
    expect(String(answer)).toContain('hello');
  });

  it.each([
    ['half a body', 'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 1000\r\n\r\nx'],
    ['nothing', ''],
    ['a request whose answer it has', 'GET / HTTP/1.1\r\nhost: here\r\n\r\n'],
  ])('answers newcomers while many connections have sent %s', async (_name, text) => {
    const port = await serve(3);
    for (let count = 0; count < 9; count += 1) await opened(port, text);
    expect(await Promise.all([status(port), status(port)])).toEqual([200, 200]);
  });

  it('closes no connection that waits for its answer, but the newcomer', async () => {
    const answers: Response[] = [];
    const { port } = await served(3, (app) =>
      app.get('/slow', (_request, response) => void answers.push(response)),
    );
    const slow: Promise<number>[] = [];
    for (let count = 0; count < 3; count += 1) {
      slow.push(status(port, '/slow'));
      await until('the request is here', () => answers.length > count);
    }
    await closing(await opened(port, ''));
    for (const answer of answers) answer.end();
    expect(await Promise.all(slow)).toEqual([200, 200, 200]);
  });
});

describe('a port for operators', () => {
  it('keeps answering while the public port is full of half-sent requests', async () => {
    const { adapter, port } = await served(3);
    const admin = await ownPort();
    await adapter.listenForAdmin(admin, '127.0.0.1');
    ends.push(() => void adapter.close());
    const first = await opened(port, 'POST / HTTP/1.1\r\nhost: here\r\ncontent-le');
    for (let count = 0; count < 3; count += 1)
      await opened(port, 'POST / HTTP/1.1\r\nhost: here\r\ncontent-le');
    await closing(first);
    expect(await status(admin)).toBe(200);
  });

  // admin-port.e2e.spec has the paths as they are meant.
  it.each([
    ['/webhooksx', 404, 200],
    ['//api', 404, 200],
    ['/health/../api/v1/status', 404, 200],
    ['/Webhooks/catalog/default', 200, 404],
  ])('answers %s with %j on the public port and %j on its own', async (path, publicly, adminly) => {
    const { adapter, port } = await served(10);
    const admin = await ownPort();
    await adapter.listenForAdmin(admin, '127.0.0.1');
    ends.push(() => void adapter.close());
    expect([await status(port, path), await status(admin, path)]).toEqual([publicly, adminly]);
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

  it.each([
    [2000, null, 2000, false],
    [2000, 65_536, 2000, false],
    [2000, 1024, 412, true],
  ])('of each of two ports, %j within %j open files, is %j', (wanted, openFiles, limit, reduced) => {
    expect(connectionsWithin(wanted, openFiles, 2)).toEqual({ limit, openFiles, reduced });
  });
});
