import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { World } from '../../support/e2e-world.js';
import type { Program } from '../../support/e2e-program.js';

const CONNECTIONS = 25;
const REQUESTS = 400;
/** Before requests took turns, the document alone took 1.2 GB and kept everybody else waiting for 19 s. */
const MOST_ADDED_MB = 150;
const LONGEST_WAIT_MS = 3_000;
const WATCH_MS = 2_500;

let world: World;
let program: Program;
beforeAll(async () => {
  world = await World.open();
  program = await world.start();
});
afterAll(() => world.end());

function residentMb(): number {
  const status = readFileSync(`/proc/${String(program.process.pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Sends the requests in one go, and reads no answer. */
async function flood(path: string): Promise<Socket> {
  const socket = connect(world.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`.repeat(REQUESTS));
  return socket;
}

async function waitOfAnother(): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${world.url}/health/live`);
  await answer.arrayBuffer();
  return performance.now() - began;
}

describe(`${String(CONNECTIONS)} connections with ${String(REQUESTS)} requests each, whose answers nobody reads`, () => {
  it.each(['/docs-json', '/docs/swagger-ui-bundle.js', '/health/live'])(
    'for %s take little memory, and others get their answers',
    async (path) => {
      for (let count = 0; count < 5; count += 1) await (await fetch(`${world.url}${path}`)).arrayBuffer();
      const before = residentMb();
      let most = before;
      let longest = 0;
      const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => flood(path)));
      const began = performance.now();
      while (performance.now() - began < WATCH_MS) {
        longest = Math.max(longest, await waitOfAnother());
        most = Math.max(most, residentMb());
        await sleep(20);
      }
      for (const socket of sockets) socket.destroy();
      process.stderr.write(
        `${path}: ${Math.round(before)} MB before, ${Math.round(most - before)} MB added, longest wait ${Math.round(longest)} ms\n`,
      );
      expect(most - before).toBeLessThan(MOST_ADDED_MB);
      expect(longest).toBeLessThan(LONGEST_WAIT_MS);
    },
    60_000,
  );
});
