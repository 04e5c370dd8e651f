import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until, World } from '../support/e2e-world.js';

const SECRET = 'what the store signs its events with';
/** So many sides that accept connections and never answer: more than the places for runs, all in the workspace of the good store. */
const HANGING = 120;

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
    store: { webhookSecret: SECRET, exportMs: 3_000 },
    settings: {
      workspaces: { default: { generation: { mode: 'off' } } },
      stores: { main: { webhookSecret: SECRET, limits: { maxOrphanedShare: 1 } }, ...hanging },
    },
  });
  for (const handle of ['anvil', 'bellows', 'chisel'])
    world.store.products.create({ title: handle, handle, vendor: 'Forge' });
});
afterAll(async () => {
  await world.end();
});

describe('runs of one process', () => {
  it('go on while more stores than there are places accept requests and never answer', async () => {
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

describe('an event that arrives while a full run waits for its export', () => {
  it('is not settled by that export, which is older, whichever attempt of the run reads it', async () => {
    const first = await world.startHere();
    const gone = world.store.products.byHandle('chisel');
    const id = await world.requestRun();
    await until('the export', async () => {
      const [row] = await world.rows<{ operation: string | null }>(
        'SELECT operation FROM sync_run WHERE id = $1',
        [id],
      );
      return row?.operation ?? null;
    });
    world.store.products.delete(gone?.id ?? 0);
    await world.store.idle();
    await until('the event', async () => {
      const rows = await world.rows('SELECT 1 FROM announced_product');
      return rows.length > 0 ? true : null;
    });
    await first.stop();
    const second = await world.startHere();
    try {
      // The export still shows the product.
      expect(await world.endOf(id)).toMatchObject({ status: 'succeeded', counts: { seen: 3, orphaned: 0 } });
      await until('the run that the event asks for', async () => {
        const [row] = await world.rows<{ state: string }>(
          `SELECT state FROM store_product WHERE store_id LIKE '%/' || $1`,
          [String(gone?.id)],
        );
        return row?.state === 'orphaned' ? true : null;
      });
      const runs = await world.rows<{ kind: string; trigger: string }>(
        `SELECT kind, trigger FROM sync_run WHERE store = 'main' ORDER BY created_at DESC LIMIT 1`,
      );
      expect(runs).toEqual([{ kind: 'incremental', trigger: 'event' }]);
    } finally {
      await second.stop();
    }
  });
});
