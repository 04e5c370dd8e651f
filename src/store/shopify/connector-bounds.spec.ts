import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ShopifyConnector } from './connector.js';
import type { ShopifyOptions } from './options.js';
import { exchangeCode } from './install.js';

/** 0.5 MB that becomes 512 MB: 64 members of 8 MB of blanks, which JSON allows between its values. */
const MEMBER = gzipSync(Buffer.alloc(8_000_000, ' '));
const BOMB = Buffer.concat(Array.from({ length: 64 }, () => MEMBER));

let server: Server;
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = () => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

function connector(auth: ShopifyOptions['auth']) {
  return new ShopifyConnector({
    shop: 'bounds.myshopify.com',
    endpoint: url(),
    apiVersion: '2026-10',
    auth,
    limits: { attempts: 1, requestTimeoutMs: 20_000 },
  });
}

/** The error of the work, and by how much the process grew meanwhile, in bytes. */
async function measured(work: () => Promise<unknown>): Promise<{ error: unknown; grownBy: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const probe = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const error: unknown = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  clearInterval(probe);
  return { error, grownBy: Math.max(peak, process.memoryUsage.rss()) - before };
}

const bomb = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(BOMB);
};

describe('an answer of 512 MB in 0.5 MB', () => {
  it.each([200, 500])('of the store, status %d, is cut off', async (status) => {
    answer = bomb(status);
    const { error, grownBy } = await measured(() =>
      connector({ accessToken: 'x'.repeat(20) }).parts.pages.count(''),
    );
    expect(error).toMatchObject({ code: 'transient' });
    expect(grownBy).toBeLessThan(200_000_000);
  });

  it.each([200, 401])('of its token endpoint, status %d, is cut off', async (status) => {
    answer = bomb(status);
    const auth = { clientId: 'id', clientSecret: 'secret-of-the-app' };
    const { error, grownBy } = await measured(() => connector(auth).parts.pages.count(''));
    expect(error).toMatchObject({ code: 'transient' });
    expect(grownBy).toBeLessThan(50_000_000);
  });

  it('of the exchange of an installation is cut off', async () => {
    answer = bomb(200);
    const target = { shop: 'bounds.myshopify.com', endpoint: url(), clientId: 'id', clientSecret: 'secret' };
    const { error, grownBy } = await measured(() => exchangeCode(target, 'code'));
    expect(error).toMatchObject({ code: 'transient' });
    expect(grownBy).toBeLessThan(50_000_000);
  });
});

describe('an answer of the store', () => {
  it('with millions of values is refused before it is parsed', async () => {
    const text = `{"data":[${'[],'.repeat(10_000_000)}[]]}`;
    answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    const { error, grownBy } = await measured(() =>
      connector({ accessToken: 'x'.repeat(20) }).parts.pages.count(''),
    );
    expect(error).toMatchObject({ code: 'transient' });
    expect(grownBy).toBeLessThan(250_000_000);
  });

  it('that never ends is given up after the time limit of the whole answer', async () => {
    let trickle: NodeJS.Timeout | undefined;
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      trickle = setInterval(() => response.write(' '), 10);
    };
    const store = new ShopifyConnector({
      shop: 'bounds.myshopify.com',
      endpoint: url(),
      apiVersion: '2026-10',
      auth: { accessToken: 'x'.repeat(20) },
      limits: { attempts: 1, requestTimeoutMs: 300 },
    });
    await expect(store.parts.pages.count('')).rejects.toMatchObject({ code: 'transient' });
    clearInterval(trickle);
  });
});
