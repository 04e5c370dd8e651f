import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until, World } from '../support/e2e-world.js';

/** So many sides that accept connections and never answer: more than the places of one workspace, which is that of the good store. */
const HANGING = 60;

let world: World;
let silent: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
  const hanging = Object.fromEntries(
    Array.from({ length: HANGING }, (_, index) => [
      `hanging-${String(index)}`,
      {
        ...{ workspace: 'default', shop: `hanging-${String(index)}.myshopify.com`, endpoint },
        ...{ auth: { accessToken: 'token' }, schedule: { cron: '0 0 29 2 *' } },
      },
    ]),
  );
  world = await World.open({
    settings: {
      workspaces: { default: { generation: { mode: 'off' } } },
      stores: hanging,
    },
  });
  for (const handle of ['anvil', 'bellows', 'chisel'])
    world.store.products.create({ title: handle, handle, vendor: 'Forge' });
});
afterAll(async () => {
  await world.end();
});

describe('runs of one process', () => {
  it('go on while more stores than their workspace has places accept requests and never answer', async () => {
    const daemon = await world.startHere();
    try {
      const others = await Promise.all(
        Array.from({ length: HANGING }, (_, index) =>
          world.requestRun({ store: `hanging-${String(index)}` }),
        ),
      );
      // Half of the places are those of one workspace.
      await until('the hanging requests', () => Promise.resolve(sockets.size >= 50 ? true : null));
      const began = performance.now();
      expect(await world.runToEnd()).toMatchObject({ status: 'succeeded', counts: { created: 3 } });
      expect(performance.now() - began).toBeLessThan(25_000);
      const states = await Promise.all(others.map(async (id) => (await world.showRun(id)).status));
      expect(states.filter((state) => state === 'running').length).toBeGreaterThan(50);
      await Promise.all(others.map((id) => world.api('POST', `/api/v1/syncs/${id}/cancel`)));
    } finally {
      // The runs would connect again, and the stop wait for them.
      silent.close();
      for (const socket of sockets) socket.destroy();
      await daemon.stop();
    }
  });
});
