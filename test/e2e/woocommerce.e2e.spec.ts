import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startWooCommerceSandbox,
  type RunningWooCommerceSandbox,
} from '../../src/sandbox/woocommerce/index.js';
import { World } from '../support/e2e-world.js';
import type { Settings } from '../support/e2e-settings.js';
import { runCommand, syncHere } from '../support/run-command.js';

let shop: RunningWooCommerceSandbox;
let world: World;

const settings = (changes: Settings = {}): Settings => ({
  kind: 'woocommerce',
  workspace: 'default',
  url: shop.url,
  auth: { consumerKey: shop.consumerKey, consumerSecret: shop.consumerSecret },
  schedule: { cron: '0 0 29 2 *' },
  ...changes,
});

async function open(names: readonly string[], changes: Settings = {}): Promise<void> {
  shop = await startWooCommerceSandbox();
  for (const name of names)
    shop.products.create({ row: { name, description: `<p>${name}</p>` }, sku: name.replaceAll(' ', '-') });
  world = await World.open({ stores: [], settings: { stores: { main: settings(changes) } } });
}

async function close(): Promise<void> {
  await world.end();
  await shop.stop();
}

/** Requests that changed something in the shop: the probe of the key is a write to no product. */
function writes(): number {
  return shop.ledger.requests.filter(({ method, path }) => method !== 'GET' && path !== 'wc/v3/products/0')
    .length;
}

describe('a shop that has moved to another address', () => {
  beforeAll(async () => {
    await open(['Oak chair', 'Oak table']);
    expect((await syncHere(world)).run).toMatchObject({ status: 'succeeded', error: null });
    const url = shop.url.replace('127.0.0.1', 'localhost');
    shop.shop.homeUrl = url;
    await world.configure({ stores: { main: settings({ url }) } });
  });
  afterAll(close);

  it('is stopped, whatever the configuration says, and the message names the command that goes on', async () => {
    const before = [world.catalogWrites(), writes()];
    const { status, run } = await syncHere(world);
    expect([status, run.status]).toEqual([1, 'failed']);
    expect(run.error).toMatch(
      /was at 127\.0\.0\.1:\d+ and answers as localhost:\d+ now: .*retry --accept-shop/,
    );
    const retried = await runCommand(world, 'retry', [], { store: 'main' });
    expect(retried).toMatchObject({ status: 1, stderr: expect.stringContaining('retry --accept-shop') });
    expect([world.catalogWrites(), writes()]).toEqual(before);
  });

  it('is the same shop once a person says so: its products keep their entries, and get their new addresses', async () => {
    expect(await runCommand(world, 'retry', [], { store: 'main', acceptShop: true })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const { run } = await syncHere(world);
    expect(run).toMatchObject({
      status: 'succeeded',
      counts: { seen: 2, created: 0, updated: 2, orphaned: 0 },
    });
    expect(await world.catalogProducts()).toHaveLength(2);
  });

  it('is served by one store: a second one at the address of a copy is refused', async () => {
    const { url } = shop;
    const copy = await startWooCommerceSandbox({ storeId: shop.shop.storeId });
    try {
      await world.configure({
        stores: { main: settings(), copy: settings({ url: copy.url }) },
      });
      const end = await runCommand(world, 'sync', [], { store: 'copy', json: true });
      expect(end.status).toBe(1);
      expect(end.stdout + end.stderr).toContain('stores.main already has the products of the shop');
    } finally {
      await copy.stop();
      await world.configure({ stores: { main: settings({ url }) } });
    }
  });
});
