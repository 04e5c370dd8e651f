import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestStore } from '../support/sandbox/test-store.js';
import { fill } from '../support/e2e-products.js';
import { until, World, type WorldOptions } from '../support/e2e-world.js';

function open(options: WorldOptions = {}): Promise<World> {
  return World.open({ settings: { workspaces: { default: { generation: { mode: 'off' } } } }, ...options });
}

/** The samples of a metric whose value is not 0. */
async function samples(here: World, name: string): Promise<string[]> {
  const text = await (await fetch(`${here.url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
}

const statusOf = async (here: World): Promise<string> =>
  JSON.stringify((await here.api('GET', '/api/v1/status')).body);

describe('a shop that cannot be used', () => {
  let here: World;
  beforeAll(async () => {
    here = await open();
    fill(here.store, 2);
    await here.startHere();
  });
  afterAll(() => here.end());

  it.each([
    ['frozen', 402],
    ['locked', 423],
    ['gone', 404],
    ['moved', 301],
  ])(
    'because it is %s (%d) pauses its store with that reason, and works again by a retry',
    async (_name, status) => {
      here.catalog.resetRequests();
      here.store.failNext(status, { count: 1_000 });
      expect((await here.runToEnd()).status).toBe('failed');
      expect(await statusOf(here)).toContain('shop_unavailable');
      expect(here.catalogWrites().filter((write) => write.includes('/products/'))).toEqual([]);
      here.store.clearFaults();
      expect((await here.api('POST', '/api/v1/stores/main/retry')).status).toBe(200);
      expect((await here.runToEnd()).status).toBe('succeeded');
      expect(await here.catalogProducts()).toHaveLength(2);
    },
  );

  it('has its pause in a metric as long as it lasts', async () => {
    const paused = 'store_sync_store_paused{store="main",code="shop_unavailable"} 1';
    here.store.failNext(402, { count: 1_000 });
    await here.runToEnd();
    // The metrics are read anew only after some seconds.
    const shown = (lines: readonly string[]) => () =>
      samples(here, 'store_sync_store_paused{').then((now) => now.join() === lines.join());
    await until('a metric of the pause', shown([paused]));
    here.store.clearFaults();
    await here.api('POST', '/api/v1/stores/main/retry');
    await until('a metric without the pause', shown([]));
  });
});

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

async function opened(options: WorldOptions = {}): Promise<World> {
  world = await open(options);
  return world;
}

it('an endpoint at which another shop answers is refused before anything is read', async () => {
  const here = await opened();
  const [, token = ''] = Object.entries(here.env).find(([, value]) => value === here.store.accessToken) ?? [];
  const other = await startTestStore({ shop: 'other.myshopify.com', accessToken: token, throttle: false });
  try {
    fill(other, 3);
    await here.configure({ stores: { main: { endpoint: other.url } } });
    await here.startHere();
    const run = await here.runToEnd();
    expect(run).toMatchObject({ status: 'failed', counts: { seen: 0 } });
    expect(run.error).toContain('other.myshopify.com');
    expect(
      other.requests.flatMap(({ fields }) => fields).filter((field) => /bulk|products/i.test(field)),
    ).toEqual([]);
    expect(await here.catalogProducts()).toEqual([]);
  } finally {
    await other.stop();
  }
});

it('an API version that the store serves in place of the configured one is in the status and a metric', async () => {
  const here = await opened({ store: { apiVersion: '2028-01' } });
  fill(here.store, 1);
  await here.startHere();
  expect((await here.runToEnd()).status).toBe('succeeded');
  expect(await statusOf(here)).toContain('2027-04');
  expect(await samples(here, 'store_sync_store_api_version_retired{')).toHaveLength(1);
});
