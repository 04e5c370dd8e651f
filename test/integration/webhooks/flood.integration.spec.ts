import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { World } from '../../support/e2e-world.js';
import { signed } from '../../support/signed-delivery.js';

let world: World;
const sockets: Socket[] = [];
beforeAll(async () => {
  world = await World.open();
  await world.startHere();
}, 60_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await world.end();
}, 60_000);

/** Sends the head of a request that announces a body of ten thousand bytes, and so much of the body. */
async function begin(path: string, headers: Record<string, string>, body = ''): Promise<Socket> {
  const socket = connect(world.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  const lines = Object.entries({ host: 'here', 'content-length': '10000', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
  return socket;
}

async function firstLine(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer];
  return String(data).split('\r\n')[0] ?? '';
}

describe('a delivery whose body has not come yet', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['for a workspace that does not exist', '/webhooks/catalog/nobody', {}, '404 Not Found'],
    ['without a signature', '/webhooks/catalog/default', {}, '401 Unauthorized'],
    [
      'whose signature has another form',
      '/webhooks/catalog/default',
      { 'x-webhook-timestamp': '1700000000', 'x-webhook-signature': 'sha256=abc' },
      '401 Unauthorized',
    ],
    ['for a store that does not exist', '/webhooks/shopify/nobody', {}, '401 Unauthorized'],
    ['for a store, without a signature', '/webhooks/shopify/main', {}, '401 Unauthorized'],
  ])('%s is refused unread', async (_name, path, headers, status) => {
    expect(await firstLine(await begin(path, headers))).toBe(`HTTP/1.1 ${status}`);
  });

  it('is refused unread when it is announced as larger than 10 MB', async () => {
    const headers = { ...signed('', 'whatever'), 'content-length': String(11 * 1024 * 1024) };
    expect(await firstLine(await begin('/webhooks/catalog/default', headers))).toMatch(/413/);
  });
});

describe('a store event that is signed with another secret', () => {
  it.each(['main', 'nobody'])(
    'gets the same answer for %s, so that nobody learns which shops have the app',
    async (store) => {
      const headers = { 'x-shopify-hmac-sha256': Buffer.alloc(32, 7).toString('base64') };
      const answer = await fetch(`${world.url}/webhooks/shopify/${store}`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      expect([answer.status, await answer.json()]).toEqual([
        401,
        expect.objectContaining({ statusCode: 401 }),
      ]);
    },
  );
});
