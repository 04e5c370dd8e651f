import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { localServers } from '../../test/support/local-servers.js';
import { TakingTurns } from './taking-turns.js';

const start = localServers();
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

const MEGABYTES = Buffer.alloc(32 * 1024 * 1024, 'x');

async function serve(
  listener: RequestListener,
  limits: { answerMs?: number; mostWaiting?: number } = {},
): Promise<{ port: number; turns: TakingTurns }> {
  const turns = new TakingTurns(listener, { answerMs: 5_000, mostWaiting: 100, ...limits });
  return { port: Number(new URL(await start(turns.listener)).port), turns };
}

/** Sends requests in one go. Its answers are read only on `resume`. */
async function pipelined(port: number, paths: readonly string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`).join(''));
  return socket;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

describe('pipelined requests', () => {
  it('are served one at a time and in order, each once the answer before it has left', async () => {
    const begun: string[] = [];
    const answers = new Map<string, ServerResponse>();
    const { port } = await serve((request, response) => {
      begun.push(request.url ?? '');
      answers.set(request.url ?? '', response);
    });
    const socket = await pipelined(port, ['/1', '/2', '/3']);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk))).resume();
    for (const path of ['/1', '/2', '/3']) {
      await until(() => begun.includes(path));
      await sleep(20);
      expect(begun.at(-1)).toBe(path);
      answers.get(path)?.end(`answer ${path}`);
    }
    await until(() => text.includes('answer /3'));
    expect(text.match(/answer \/\d/g)).toEqual(['answer /1', 'answer /2', 'answer /3']);
  });

  it('wait while nobody reads the answer before them', async () => {
    let begun = 0;
    const { port } = await serve((_request, response) => {
      begun += 1;
      response.end(MEGABYTES);
    });
    await pipelined(port, ['/1', '/2', '/3']);
    await until(() => begun > 0);
    await sleep(200);
    expect(begun).toBe(1);
  });

  it('are dropped with their connection when too many wait', async () => {
    const { port } = await serve(() => undefined, { mostWaiting: 10 });
    const socket = await pipelined(
      port,
      Array.from({ length: 12 }, () => '/'),
    );
    socket.resume();
    await once(socket, 'close');
    const other = await pipelined(port, ['/1', '/2']);
    await sleep(50);
    expect(other.destroyed).toBe(false);
  });

  it('of other connections are served meanwhile', async () => {
    const { port, turns } = await serve((request, response) => {
      if (request.url === '/fast') response.end('done');
    });
    await pipelined(port, ['/slow', '/slow']);
    const answer = await fetch(`http://127.0.0.1:${String(port)}/fast`);
    expect([await answer.text(), turns.isIdle]).toEqual(['done', false]);
  });
});

describe('an answer that nobody reads', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['a text', (response) => response.end(MEGABYTES)],
    ['a file', (response) => Readable.from([MEGABYTES, MEGABYTES]).pipe(response)],
  ])('is cut off after its time, when it is %s', async (_what, answer) => {
    const { port, turns } = await serve((_request, response) => answer(response), { answerMs: 200 });
    await pipelined(port, ['/', '/']);
    await until(() => !turns.isIdle);
    await until(() => turns.isIdle);
  });

  it('is not counted while it is being made', async () => {
    const { port } = await serve((_request, response) => setTimeout(() => response.end('late'), 400), {
      answerMs: 100,
    });
    expect(await (await fetch(`http://127.0.0.1:${String(port)}/`)).text()).toBe('late');
  });
});
