import { afterEach, expect, it } from '@jest/globals';
import { startStoreSandbox } from '../../src/sandbox/store/index.js';
import { fill } from '../support/e2e-products.js';
import { until, World, type WorldOptions } from '../support/e2e-world.js';

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

async function open(options: WorldOptions = {}): Promise<World> {
  world = await World.open({
    settings: { workspaces: { default: { generation: { mode: 'off' } } } },
    ...options,
  });
  return world;
}

/** The samples of a metric whose value is not 0. */
async function samples(here: World, name: string): Promise<string[]> {
  const text = await (await fetch(`${here.url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
}

const statusOf = async (here: World): Promise<string> =>
  JSON.stringify((await here.api('GET', '/api/v1/status')).body);

it.each([
  ['frozen', 402],
  ['locked', 423],
  ['gone', 404],
  ['moved', 301],
])(
  'a shop that is %s (%d) pauses its store with that reason, and works again by a retry',
  async (_name, status) => {
    const here = await open();
    fill(here.store, 2);
    await here.startHere();
    here.store.failNext(status, { count: 1_000 });
    expect((await here.runToEnd()).status).toBe('failed');
    expect(await statusOf(here)).toContain('shop_unavailable');
    expect(await samples(here, 'store_sync_store_paused{')).toEqual([
      'store_sync_store_paused{store="main",code="shop_unavailable"} 1',
    ]);
    expect(await here.catalogProducts()).toEqual([]);
    here.store.clearFaults();
    expect((await here.api('POST', '/api/v1/stores/main/retry')).status).toBe(200);
    expect((await here.runToEnd()).status).toBe('succeeded');
    expect(await here.catalogProducts()).toHaveLength(2);
    // The metrics are read anew only after some seconds.
    await until('a metric without the pause', async () =>
      (await samples(here, 'store_sync_store_paused{')).length === 0 ? true : null,
    );
  },
);

it('an endpoint at which another shop answers is refused before anything is read', async () => {
  const here = await open();
  const [, token = ''] = Object.entries(here.env).find(([, value]) => value === here.store.accessToken) ?? [];
  const other = await startStoreSandbox({ shop: 'other.myshopify.com', accessToken: token, throttle: false });
  try {
    fill(other, 3);
    await here.configure({ stores: { main: { endpoint: other.url } } });
    await here.startHere();
    const run = await here.runToEnd();
    expect(run).toMatchObject({ status: 'failed', counts: { seen: 0 } });
    expect(run.error).toContain('other.myshopify.com');
    expect(
      other.ledger.requests.flatMap(({ fields }) => fields).filter((field) => /bulk|products/i.test(field)),
    ).toEqual([]);
    expect(await here.catalogProducts()).toEqual([]);
  } finally {
    await other.stop();
  }
});

it('an API version that the store serves in place of the configured one is in the status and a metric', async () => {
  const here = await open({ store: { apiVersion: '2028-01' } });
  fill(here.store, 1);
  await here.startHere();
  expect((await here.runToEnd()).status).toBe('succeeded');
  expect(await statusOf(here)).toContain('2027-04');
  expect(await samples(here, 'store_sync_store_api_version_retired{')).toHaveLength(1);
});
