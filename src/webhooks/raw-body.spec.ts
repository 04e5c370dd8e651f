import { describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { localServers } from '../../test/support/local-servers.js';
import { ByteBudget } from './byte-budget.js';
import { readRawBody } from './raw-body.js';
import { refuse, reply } from './reply.js';

const MB = 1024 * 1024;
const serve = localServers();

/** A receiver that reads bodies of at most 1 MB, except at /unread. */
async function receiver(budget = new ByteBudget(64 * MB, () => performance.now())): Promise<string> {
  return serve((request, response) => {
    void (async () => {
      if (request.url === '/unread') {
        refuse(request, response, 404, 'no such workspace');
        return;
      }
      const body = await readRawBody(request, budget, MB);
      if (body.kind === 'too_large') refuse(request, response, 413, 'too large');
      else if (body.kind === 'no_room') refuse(request, response, 503, 'no room');
      else if (body.kind === 'body') {
        body.holding.release();
        reply(response, 200, String(body.bytes.length));
      }
    })();
  });
}

/** The status that a sender gets who sends its whole body whatever comes; null when the answer is lost. */
async function sendAll(
  url: string,
  bytes: number,
  headers: Record<string, string> = {},
): Promise<number | null> {
  const body = bodyOf(bytes);
  const outgoing = httpRequest(url, { method: 'POST', headers, agent: false });
  const answered = new Promise<number | null>((resolve) => {
    outgoing.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    outgoing.on('error', () => {
      resolve(null);
    });
  });
  body.pipe(outgoing);
  return answered;
}

function bodyOf(bytes: number): Readable {
  const chunk = Buffer.alloc(64 * 1024, 0x78);
  return Readable.from(
    Array.from({ length: Math.ceil(bytes / chunk.length) }, (_, index) =>
      chunk.subarray(0, Math.min(chunk.length, bytes - index * chunk.length)),
    ),
  );
}

describe('a request body', () => {
  it('is read whole when it is small enough', async () => {
    expect(await sendAll(await receiver(), MB)).toBe(200);
  });

  it.each([
    ['is too large and says so', '/', { 'content-length': String(9 * MB) }, 413],
    ['is too large and does not say so', '/', {}, 413],
    ['is not read at all', '/unread', { 'content-length': String(9 * MB) }, 404],
  ])('that %s gets its answer to a sender that sends on', async (_name, path, headers, status) => {
    const url = await receiver();
    expect(await sendAll(url + path, 9 * MB, headers)).toBe(status);
  });

  it('that finds no room gets 503, and is taken once there is room', async () => {
    const budget = new ByteBudget(2 * MB, () => performance.now());
    const others = budget.open(() => undefined);
    others.add(MB + 1000);
    others.complete();
    const url = await receiver(budget);
    expect(await sendAll(url, MB)).toBe(503);
    others.release();
    expect(await sendAll(url, MB)).toBe(200);
    expect(budget.usedBytes).toBe(0);
  });

  it('that ends half-way holds nothing of the budget', async () => {
    const budget = new ByteBudget(64 * MB, () => performance.now());
    const url = await receiver(budget);
    const outgoing = httpRequest(url, { method: 'POST', headers: { 'content-length': String(MB) } });
    outgoing.on('error', () => undefined);
    outgoing.write(Buffer.alloc(500_000));
    while (budget.usedBytes < 500_000) await new Promise((resolve) => setTimeout(resolve, 5));
    outgoing.destroy();
    while (budget.usedBytes > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('that comes in one part is kept in memory of its own, which keeps no other one', async () => {
    const read: Buffer[] = [];
    const url = await serve((request, response) => {
      void (async () => {
        const body = await readRawBody(request, new ByteBudget(MB, () => performance.now()));
        if (body.kind === 'body') read.push(body.bytes);
        response.end();
      })();
    });
    await (await fetch(url, { method: 'POST', body: 'a small delivery' })).arrayBuffer();
    expect(read.map((bytes) => [bytes.toString(), bytes.buffer.byteLength])).toEqual([
      ['a small delivery', 16],
    ]);
  });
});
