import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ShopRedactionRepository } from '../../../src/persistence/shop-redaction.repository.js';
import { ShopRedactions } from '../../../src/schedule/shop-redactions.js';
import { ConnectionRefresh } from '../../../src/connections/connection-refresh.js';
import type { TestStore } from '../../support/sandbox/test-store.js';
import { Uninstalls } from '../../../src/schedule/uninstalls.js';
import { until, World } from '../../support/e2e-world.js';
import { APP, installable, installApp, SHOP, startMerchantStore } from '../../support/install-flow.js';
import type { DaemonHere } from '../../support/world/daemon-here.js';

const ERASE = { shop_id: 1, shop_domain: SHOP };
const CUSTOMER = { ...ERASE, customer: { id: 2, email: 'someone@example.com' }, orders_to_redact: [3] };

let world: World;
let store: TestStore;
let daemon: DaemonHere;

beforeAll(async () => {
  world = await World.open();
  for (const each of [world.store, (store = await startMerchantStore())])
    each.products.create({ title: 'Plain', handle: 'plain', descriptionHtml: '<p>Plain.</p>' });
  await world.configure(installable(store, { encryptionKey: randomBytes(32).toString('hex') }));
  daemon = await world.startHere();
  expect((await world.runToEnd()).status).toBe('succeeded');
});
beforeEach(async () => {
  store.clearFaults();
  await install();
  expect((await world.runToEnd({ store: 'merchant' })).status).not.toBe('failed');
  await world.settled();
});
afterAll(async () => {
  await world.end();
  await store.stop();
});

async function install(): Promise<void> {
  expect(await installApp(world.url)).toBe(200);
}

/** The merchant uninstalls the app, and the store confirms it; the daemon asks by itself, too. */
async function uninstall(): Promise<void> {
  store.uninstall();
  await store.idle();
  await daemon.daemon.get(Uninstalls).pass();
  await until('the end of the tokens', async () => {
    const [row] = await world.rows(`SELECT access_token FROM store_installation WHERE shop = '${SHOP}'`);
    return row?.['access_token'] === null || null;
  });
}

async function send(topic: string, content: unknown, secret = APP.clientSecret): Promise<[number, string]> {
  const body = JSON.stringify(content);
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const answer = await fetch(`${world.url}/webhooks/shopify`, {
    method: 'POST',
    headers: { 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': signature },
    body,
  });
  return [answer.status, await answer.text()];
}

/** One round asks the shop, and the next one erases what is kept of it. Between them, the daemon sees that the installation has ended. */
async function erasureRounds(): Promise<void> {
  await daemon.daemon.get(ShopRedactions).pass();
  await daemon.daemon.get(ConnectionRefresh).refresh();
  await daemon.daemon.get(ShopRedactions).pass();
}

/** The tables that still have something of the shop, but for the list of the catalog's own products, which is replaced by the day. */
async function traces(): Promise<string[]> {
  const dump = await world.tableDump();
  const tables = dump.split(/\n\n+/).map((table) => table.split('\n'));
  return tables.flatMap(([name = '', ...rows]) =>
    name !== 'public.catalog_listed' && rows.some((row) => row.includes(SHOP) || /\bmerchant\b/.test(row))
      ? [name.replace('public.', '')]
      : [],
  );
}

describe('the address for compliance requests', () => {
  it.each(['customers/data_request', 'customers/redact', 'shop/redact'])(
    'refuses %s with a wrong signature, and without one',
    async (topic) => {
      expect((await send(topic, CUSTOMER, 'another-secret'))[0]).toBe(401);
      const unsigned = await fetch(`${world.url}/webhooks/shopify`, { method: 'POST', body: '{}' });
      expect(unsigned.status).toBe(401);
    },
  );

  it('answers requests about customers, and keeps nothing of them', async () => {
    for (const topic of ['customers/data_request', 'customers/redact'])
      expect(await send(topic, CUSTOMER)).toEqual([200, expect.stringContaining('nothing to erase')]);
    expect(await world.tableDump()).not.toContain('someone@example.com');
  });

  it('erases nothing of a shop that is installed, nor under a topic that somebody exchanged', async () => {
    expect(await send('shop/redact', ERASE)).toEqual([200, expect.stringContaining('nothing to erase')]);
    await uninstall();
    expect(await send('shop/redact', CUSTOMER)).toEqual([200, expect.stringContaining('ignored')]);
    expect(await traces()).toEqual(expect.arrayContaining(['store_installation', 'store_product']));
  });

  it('lets all rows of a shop but the audit record go after its merchant uninstalled the app, and no row of another store', async () => {
    await uninstall();
    const before = await world.rows(`SELECT external_id FROM store_product WHERE store = 'main'`);
    expect(await send('shop/redact', ERASE)).toEqual([200, expect.stringContaining('to be erased')]);
    await erasureRounds();
    // The audit record stays for 90 days: it has the name of the store, and no texts.
    expect(await traces()).toEqual(['audit_entry']);
    expect(await world.rows('SELECT actor, what, targets FROM audit_entry ORDER BY id DESC LIMIT 2')).toEqual(
      ['erasure', 'erasure request'].map((what) => ({ actor: SHOP, what, targets: ['merchant'] })),
    );
    expect(await world.rows(`SELECT external_id FROM store_product WHERE store = 'main'`)).toEqual(before);
    expect(JSON.stringify(await world.api('GET', '/api/v1/status'))).not.toContain(SHOP);
    expect(await send('shop/redact', ERASE)).toEqual([200, expect.stringContaining('nothing to erase')]);
  });

  it('leaves the rows of a shop alone that was installed again before they were erased', async () => {
    await uninstall();
    expect((await send('shop/redact', ERASE))[1]).toContain('to be erased');
    await install();
    await daemon.daemon.get(ShopRedactions).pass();
    expect(await world.rows(`SELECT external_id FROM store_product WHERE store = 'merchant'`)).toHaveLength(
      1,
    );
    expect(
      await world.rows('SELECT shop FROM store_installation WHERE erasure_asked_at IS NOT NULL'),
    ).toEqual([]);
  });

  it('reads all of a shop again that was installed again while its rows were erased', async () => {
    await uninstall();
    await send('shop/redact', ERASE);
    // Nothing has changed in the shop since the last run before it.
    await world.rows(`UPDATE store_state SET watermark = now() + interval '1 hour' WHERE store = 'merchant'`);
    const redactions = daemon.daemon.get(ShopRedactionRepository);
    const left = () => world.rows(`SELECT external_id FROM store_product WHERE store = 'merchant'`);
    while ((await left()).length > 0) await redactions.erase({ storeKey: 'merchant' }, `shopify:${SHOP}`, 1);
    await install();
    expect((await world.runToEnd({ store: 'merchant', full: false })).status).toBe('succeeded');
    expect(await left()).toHaveLength(1);
  });

  it('erases nothing of a shop that still answers, and asks it because the uninstall event may be lost', async () => {
    expect((await send('shop/redact', ERASE))[1]).toContain('this is checked');
    await daemon.daemon.get(ShopRedactions).pass();
    expect(
      await world.rows('SELECT shop FROM store_installation WHERE erasure_asked_at IS NOT NULL'),
    ).toEqual([]);
    expect(await traces()).toEqual(expect.arrayContaining(['store_installation', 'store_product']));
  });

  it('erases nothing of a shop that works by a configuration file by now', async () => {
    const { shop } = world.store;
    const before = await world.rows(`SELECT external_id FROM store_product WHERE store = 'main'`);
    expect(before).not.toEqual([]);
    expect((await send('shop/redact', { shop_id: 2, shop_domain: shop }))[1]).toContain('"nothing to erase"');
    // An earlier installation left the request, before the shop was written into the file.
    await world.rows(
      `INSERT INTO store_installation (shop, store_key, installed_at, uninstalled_at, erasure_asked_at)
       VALUES ('${shop}', 'main', now(), now(), now())`,
    );
    await daemon.daemon.get(ShopRedactions).pass();
    expect(await world.rows(`SELECT external_id FROM store_product WHERE store = 'main'`)).toEqual(before);
    expect(
      await world.rows('SELECT shop FROM store_installation WHERE erasure_asked_at IS NOT NULL'),
    ).toEqual([]);
  });

  it('erases a shop whose uninstall event was lost, once the shop refuses us', async () => {
    const [kept] = await world.rows<{ access_token: string; refresh_token: string }>(
      `SELECT access_token, refresh_token FROM store_installation WHERE shop = '${SHOP}'`,
    );
    await uninstall();
    // As if the event had never come.
    await world.rows(
      `UPDATE store_installation SET uninstalled_at = NULL, access_token = '${kept?.access_token ?? ''}',
         refresh_token = '${kept?.refresh_token ?? ''}' WHERE shop = '${SHOP}'`,
    );
    expect((await send('shop/redact', ERASE))[0]).toBe(200);
    await erasureRounds();
    expect(await traces()).toEqual(['audit_entry']);
  });

  it('erases a shop that counts as installed and cannot be asked, twenty days after the request', async () => {
    // A frozen shop answers nothing about its installation.
    store.failNext(402, { count: 50 });
    expect((await send('shop/redact', ERASE))[1]).toContain('this is checked');
    const passOn = async (day: number): Promise<string[]> => {
      await world.rows(
        `UPDATE store_installation SET erasure_asked_at = now() - interval '${day} days' WHERE shop = '${SHOP}'`,
      );
      await erasureRounds();
      return traces();
    };
    expect(await passOn(19)).toEqual(expect.arrayContaining(['store_installation', 'store_product']));
    expect(await passOn(20)).toEqual(['audit_entry']);
  });
});
