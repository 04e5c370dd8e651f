import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import type { Program } from '../support/e2e-program.js';
import { contentWrites, fill } from '../support/e2e-products.js';
import { until, World } from '../support/e2e-world.js';
import { runLine } from '../support/run-command.js';

let world: World;
let daemon: Program;
beforeAll(async () => {
  world = await World.open();
  fill(world.store, 3);
  await mkdir(join(world.directory, 'stores.d'));
  await world.configure({ storesDir: './stores.d' });
  daemon = await world.start();
});
afterAll(async () => world.end());

/** A second store in a file of its own, at the same sandbox. */
async function addStore(key: string, shop: string, token = 'a-token-of-the-second-store'): Promise<void> {
  const stores = {
    [key]: { workspace: 'default', shop, endpoint: world.store.url, auth: { accessToken: token } },
  };
  await writeFile(join(world.directory, 'stores.d', `${key}.yaml`), stringify({ stores }), { mode: 0o600 });
}

async function storesOf(): Promise<string[]> {
  const { body } = await world.api('GET', '/api/v1/status');
  const { stores } = body as { stores: { store: string }[] };
  return stores.map(({ store }) => store);
}

describe('a reload of the configuration', () => {
  it('by the API adds a store without a restart, and says what changed', async () => {
    await addStore('second', 'second.myshopify.com');
    expect(await world.api('POST', '/api/v1/config/reload')).toEqual({
      status: 200,
      body: {
        workspaces: { added: [], changed: [], removed: [] },
        stores: { added: ['second'], changed: [], removed: [] },
        warnings: [],
      },
    });
    expect(await storesOf()).toEqual(['main', 'second']);
    const asked = await world.api('POST', '/api/v1/stores/second/syncs', { full: true });
    expect(asked.status).toBe(202);
  });

  it('by SIGHUP does the same, and no line shows the new secret', async () => {
    await addStore('third', 'third.myshopify.com', 'canary-of-the-third-store');
    daemon.signal('SIGHUP');
    await until('the third store', async () => ((await storesOf()).includes('third') ? true : null));
    expect([...daemon.lines, daemon.stderr].join('\n')).not.toContain('canary-of-the-third-store');
  });

  it('is refused whole, with the reason, when one file is wrong', async () => {
    await writeFile(join(world.directory, 'stores.d', 'wrong.yaml'), 'stores: { wrong: { shop: nowhere } }');
    const { status, body } = await world.api('POST', '/api/v1/config/reload');
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('stores.wrong.')]);
    expect(await storesOf()).toEqual(['main', 'second', 'third']);
    daemon.signal('SIGHUP');
    await daemon.said((line) => line.includes('the changed configuration is not used'));
    await writeFile(join(world.directory, 'stores.d', 'wrong.yaml'), '');
  });

  it('refuses what needs a restart, by name', async () => {
    await world.configure({ storesDir: './stores.d', queue: { redisUrl: 'redis://127.0.0.1:1' } });
    const { status, body } = await world.api('POST', '/api/v1/config/reload');
    const reason = expect.stringContaining('queue.redisUrl: the change needs a restart');
    expect([status, JSON.stringify(body)]).toEqual([409, reason]);
    await world.configure({ storesDir: './stores.d' });
  });

  it('removes a store whose file is gone', async () => {
    await writeFile(join(world.directory, 'stores.d', 'second.yaml'), '');
    const { body } = await world.api('POST', '/api/v1/config/reload');
    expect(body).toMatchObject({ stores: { removed: ['second'] } });
    expect(await storesOf()).toEqual(['main', 'third']);
  });
});

it('a daemon that restarts under a renamed store key keeps the rows of the shop: it sends nothing again and takes results', async () => {
  await world.runToEnd();
  await world.settled();
  daemon.signal('SIGTERM');
  expect(await daemon.exit()).toBe(0);
  const [sent, written] = [world.catalogWrites().length, contentWrites(world.store).length];
  expect(written).toBe(3);

  await world.configure({ stores: { main: undefined, north: ofTheShop() } });
  daemon = await world.start();
  expect([...daemon.lines, daemon.stderr].join('\n')).toContain(
    'the rows of a store follow its shop to a new key',
  );
  expect(await storesOf()).toEqual(['north']);
  for (const full of [false, true])
    expect(await world.runToEnd({ store: 'north', full })).toMatchObject({
      status: 'succeeded',
      counts: { created: 0, updated: 0, failed: 0, generationRequested: 0 },
    });
  // The daemon writes its own webhook slot again at each start.
  const since = world.catalogWrites().slice(sent);
  expect(since.filter((write) => !write.endsWith('/settings/webhooks/'))).toEqual([]);

  const [product] = world.store.products.list();
  world.store.products.merchantEdit(product!.id, { vendor: 'Another' });
  expect(await world.runToEnd({ store: 'north' })).toMatchObject({
    status: 'succeeded',
    counts: { seen: 3, updated: 1, unchanged: 2, generationRequested: 1 },
  });
  await world.settled();
  expect(contentWrites(world.store)).toHaveLength(written + 1);
  expect(await world.rows(`SELECT state FROM webhook_delivery WHERE state <> 'processed'`)).toEqual([]);
  expect(await world.rows(`SELECT 1 FROM store_product WHERE store = 'main'`)).toEqual([]);

  // A command that only reads is refused with the former configuration, and says why.
  await world.configure({});
  const former = await runLine(world, ['plan', '--store', 'main', '--json']);
  expect([former.status, former.stderr]).toEqual([
    1,
    expect.stringContaining('stores.main was stores.north so far'),
  ]);
});

/** The settings of the first store, for a key of another name. */
function ofTheShop(): object {
  const { shop, url } = world.store;
  return {
    ...{ workspace: 'default', shop, endpoint: url, schedule: { cron: '0 0 29 2 *' } },
    auth: { accessToken: '${SHOPIFY_ACCESS_TOKEN}' },
  };
}
