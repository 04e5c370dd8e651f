import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until, World } from '../../support/e2e-world.js';
import { TcpGate } from '../../support/tcp-gate.js';

/** More than all the places for write-backs. */
const HANGING = 66;
/** A call that hangs is given up after 45 s. */
const MOST_MS = 30_000;

let world: World;
let gate: TcpGate;
beforeAll(async () => {
  world = await World.open({
    stores: ['main', 'hanging'],
    settings: { workspaces: { default: { generation: { mode: 'off' } } } },
  });
  const { hostname: host, port } = new URL(world.storeOf('hanging').url);
  gate = await TcpGate.before({ host, port: Number(port) });
  await world.configure({
    workspaces: { default: { generation: { mode: 'off' } } },
    stores: { hanging: { endpoint: `http://127.0.0.1:${String(gate.port)}` } },
  });
}, 60_000);
afterAll(async () => {
  await gate.close();
  await world.end();
}, 60_000);

function put(store: string, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const handle = `${store}-${String(index)}`;
    world.storeOf(store).products.create({ title: handle, handle, vendor: 'Forge' });
  }
}

const linked = (store: string) =>
  world.rows<{ external_id: string; catalog_id: string }>(
    'SELECT external_id, catalog_id FROM store_product WHERE store = $1',
    [store],
  );

async function deliverResults(store: string): Promise<void> {
  for (const { external_id, catalog_id } of await linked(store)) {
    const at = new Date().toISOString();
    const status = await world.deliver(
      JSON.stringify({
        action: 'product_generated',
        status: 'SUCCESS',
        task: { id: `task-${external_id}`, status: 'SUCCESS', urls: [], created_at: at, updated_at: at },
        product: {
          id: Number(catalog_id),
          external_id,
          name: 'Generated',
          html_description: '<p>New</p>',
          sections: [],
        },
      }),
    );
    expect(status).toBe(200);
  }
}

const writeBacks = (store: string) =>
  world.rows<{ state: string; attempts: number }>('SELECT state, attempts FROM write_back WHERE store = $1', [
    store,
  ]);

it('a write-back is written within seconds while more of another shop than there are places get no answer', async () => {
  put('main', 1);
  put('hanging', HANGING);
  await world.startHere({ quiet: true });
  for (const store of ['main', 'hanging'])
    expect(await world.runToEnd({ store })).toMatchObject({ status: 'succeeded' });
  expect(await linked('hanging')).toHaveLength(HANGING);
  gate.silence();
  await deliverResults('hanging');
  await until('the write-backs that hang', async () => (await writeBacks('hanging')).length === HANGING);
  const began = performance.now();
  await deliverResults('main');
  await until('the good one', async () =>
    (await writeBacks('main')).some(({ state }) => state === 'applied'),
  );
  expect(performance.now() - began).toBeLessThan(MOST_MS);
  const waiting = await writeBacks('hanging');
  expect(waiting.filter(({ state, attempts }) => state === 'ready' && attempts === 0)).toHaveLength(HANGING);
  gate.shut();
}, 120_000);
