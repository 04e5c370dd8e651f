import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localServers } from '../../test/support/local-servers.js';
import { CatalogClient } from './client.js';

const serve = localServers();
let client: CatalogClient;
/** The connection of each request, in order, by its path. */
let connections: { readonly path: string; readonly socket: Socket }[];
/** The next requests to this path meet a connection that breaks without an answer. */
let broken: string | null;

beforeEach(async () => {
  connections = [];
  broken = null;
  const url = await serve((request, response) => {
    const path = request.url ?? '';
    connections.push({ path, socket: request.socket });
    request.resume();
    if (path === broken) request.socket.resetAndDestroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":1,"task_id":"t"}');
  });
  client = new CatalogClient({
    baseUrl: `${url}/api/v1`,
    auth: { apiToken: 'token' },
    requestsPerSecond: 1000,
  });
});
afterEach(() => {
  client.close();
});

const GENERATE = '/api/v1/products/generate/';
const generate = (id: number) => client.generate([{ id, externalId: `shopify:a:${String(id)}` }]);

describe('a generation request', () => {
  it('opens a connection of its own: a kept-alive one may be closing', async () => {
    await client.getProduct(1);
    await client.getProduct(1);
    expect(connections[1]?.socket).toBe(connections[0]?.socket);
    await generate(1);
    expect(connections[2]?.path).toBe(GENERATE);
    expect(connections[2]?.socket).not.toBe(connections[0]?.socket);
  });

  it('after a connection that broke is sent once, on a connection that no request used before', async () => {
    await client.getProduct(1);
    broken = GENERATE;
    await expect(generate(1)).rejects.toMatchObject({ code: 'transient', outcomeUnknown: true });
    broken = null;
    await generate(2);
    const sockets = connections.filter(({ path }) => path === GENERATE).map(({ socket }) => socket);
    expect(sockets).toHaveLength(2);
    expect(new Set([...sockets, connections[0]?.socket]).size).toBe(3);
  });
});
