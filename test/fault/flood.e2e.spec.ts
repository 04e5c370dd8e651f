import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { MEMORY_LIMIT_MB, MemoryProbe } from '../support/memory-probe.js';
import { runDirectory } from '../support/run-directory.js';
import type { DaemonProcess } from '../support/world/daemon-process.js';
import { signed } from '../support/signed-delivery.js';
import { deliveryOf, post, type Delivery } from './deliveries.js';
import type { World } from '../support/e2e-world.js';
import { openFaultWorld } from './fault-world.js';

const MB = 1024 * 1024;
const LARGE = Buffer.alloc(Math.floor(9.9 * MB), 0x78);
const WRONG_SECRET = 'a secret that nobody has';
/**
 * The budget for bodies is 64 MB. The rest is copies on their way through sockets, and garbage that is not collected yet. A quiet
 * machine needs 220 MB for all of it, and a busy one 320 MB. Without the budget, the bodies alone are 1,188 MB.
 */
const MOST_ADDED_MB = 500;
/** What two floods leave must not add up. */
const FLOODS = 2;
/** The memory in use after the floods, without garbage, as a multiple of that before. */
const MOST_KEPT = 1.15;

/** The program has 2,000 connections. */
const HALF_SENT = 2_100;
const HALF_SENT_AT_ONCE = 300;
/** The sender of a delivery gives up after this time. */
const PATIENCE_MS = 10_000;

let world: World;
let daemon: DaemonProcess;
let probe: MemoryProbe;
beforeAll(async () => {
  world = await openFaultWorld();
  probe = new MemoryProbe(runDirectory());
  daemon = await (await world.load(0, {}, probe.env)).start();
}, 60_000);
afterAll(async () => world.end(), 60_000);

let made = 0;
function delivery(): Delivery {
  made += 1;
  return deliveryOf({
    action: 'product_generation_failed',
    externalId: `shopify:nobody.myshopify.com:${String(made)}`,
    catalogId: made,
    taskId: `flood-${String(made)}`,
    createdAt: new Date(),
  });
}

/**
 * Over a connection of its own: a kept one may be among those that the program closes to make room. As the service does, it repeats what
 * is not answered within ten seconds: the sender of the flood, on the same cores, may leave the program less than it needs for that.
 */
async function deliver(): Promise<number | null> {
  const { body } = delivery();
  const headers = signed(body, world.webhookSecret);
  const send = (): Promise<number | null> =>
    post(world.webhookUrl, body, { ...headers, connection: 'close' });
  return (await send()) ?? (await send()) ?? send();
}

function residentMb(): number {
  const status = readFileSync(`/proc/${String(daemon.pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function sendLarge(): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { ...signed(Buffer.from('x'), WRONG_SECRET), 'content-length': LARGE.length };
    const outgoing = httpRequest(world.webhookUrl, { method: 'POST', headers, agent: false });
    outgoing.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    outgoing.on('error', () => {
      resolve(null);
    });
    outgoing.end(LARGE);
  });
}

async function halfSend(): Promise<Socket> {
  const { hostname, port } = new URL(world.webhookUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const headers = {
    host: 'here',
    'content-length': '1000000',
    ...signed(Buffer.from('x'), WRONG_SECRET),
  };
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.write(`POST /webhooks/catalog/default HTTP/1.1\r\n${head}\r\n${'x'.repeat(5_000)}`);
  return socket;
}

describe('a flood of requests', () => {
  it('of 120 unsigned bodies of 9.9 MB, and a second one, leave valid deliveries their 200 and no memory in use', async () => {
    for (let count = 0; count < 20; count += 1) await deliver();
    // The first bodies of a size have code compiled and pools allocated, which stay.
    for (let count = 0; count < 4; count += 1) await sendLarge();
    const before = await probe.measure(daemon.pid);
    let most = before.resident;
    const watch = setInterval(() => {
      most = Math.max(most, residentMb());
    }, 50);
    const statuses: (number | null)[] = [];
    for (let round = 0; round < FLOODS; round += 1) {
      const flood = Promise.all(Array.from({ length: 120 }, sendLarge));
      for (let count = 0; count < 20; count += 1) statuses.push(await deliver());
      await flood;
    }
    clearInterval(watch);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(most - before.resident).toBeLessThan(MOST_ADDED_MB);
    const after = await probe.measure(daemon.pid);
    expect(after.resident).toBeLessThan(MEMORY_LIMIT_MB);
    expect(after.inUse).toBeLessThanOrEqual(before.inUse * MOST_KEPT);
  }, 180_000);

  it('of 2,100 half-sent bodies, more than the limit of connections, leaves valid deliveries their 200, and is cut off within half a minute', async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < HALF_SENT; count += HALF_SENT_AT_ONCE)
      sockets.push(...(await Promise.all(Array.from({ length: HALF_SENT_AT_ONCE }, halfSend))));
    const cutOff = Promise.all(
      sockets.map(async (socket) => {
        if (!socket.closed) await once(socket.resume(), 'close');
      }),
    );
    const statuses: (number | null)[] = [];
    let slowest = 0;
    for (let count = 0; count < 40; count += 1) {
      const sent = performance.now();
      statuses.push(await deliver());
      slowest = Math.max(slowest, performance.now() - sent);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(slowest).toBeLessThan(PATIENCE_MS);
    const began = performance.now();
    await cutOff;
    expect(performance.now() - began).toBeLessThan(30_000);
  }, 90_000);
});
