import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sendOutgoing } from './outgoing-http.js';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

/** The answer of a server that sends this text compressed. */
async function answered(text: string, maxBytes: number) {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
  return sendOutgoing({ method: 'GET', url, headers: {}, timeoutMs: 10_000, maxBytes });
}

describe('an answer', () => {
  it('that is larger than allowed leaves its beginning alone in memory', async () => {
    const { body, cut } = await answered('x'.repeat(5_000_000), 1_000_000);
    expect([cut, body.length]).toEqual([true, 4096]);
  });

  it.each([0, 10, 1_000_000])('of at most the size that is allowed is whole: %d bytes', async (length) => {
    const { body, cut } = await answered('x'.repeat(length), 1_000_000);
    expect([cut, body.length]).toEqual([false, length]);
  });
});
