import { createHmac, randomBytes } from 'node:crypto';
import { connectorFindings } from '../../../src/operations/connector-findings.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { InstallationTokens } from '../../../src/connections/installation-tokens.js';
import { ConnectionRefresh } from '../../../src/connections/connection-refresh.js';
import { Connections } from '../../../src/connections/connections.js';
import type { TestStore } from '../../support/sandbox/test-store.js';
import { until, World } from '../../support/e2e-world.js';
import { APP, installable, sendEvent, SHOP, startMerchantStore } from '../../support/install-flow.js';
import { openPage as open, type OpenedPage as Page } from '../../support/opened-page.js';
import type { DaemonHere } from '../../support/world/daemon-here.js';

const KEY = randomBytes(32).toString('hex');
const NEXT_KEY = randomBytes(32).toString('base64');
const HOUR_MS = 3_600_000;

let world: World;
let store: TestStore;
let daemon: DaemonHere;
let lateMs = 0;

beforeAll(async () => {
  world = await World.open();
  store = await startMerchantStore({
    clock: () => new Date(Date.now() + lateMs),
    redirectUrls: [`${world.url}/shopify/callback`],
  });
  await configure(KEY);
  daemon = await world.startHere();
});
afterAll(async () => {
  await world.end();
  await store.stop();
});
beforeEach(() => {
  lateMs = 0;
});

async function configure(encryptionKey: string, server = {}): Promise<void> {
  await world.configure(installable(store, { encryptionKey, ...server }));
}

const begin = (query = `shop=${SHOP}`, headers = {}): Promise<Page> =>
  open(`${world.url}/shopify/install?${query}`, { headers });

/** The merchant agrees on the consent page. */
async function agree(location: string): Promise<string> {
  const consent = new URL(location);
  expect((await open(location)).text).toContain('Install app');
  const { location: callback } = await open(`${consent.origin}${consent.pathname}`, {
    method: 'POST',
    body: consent.searchParams,
  });
  return callback;
}

async function installed(): Promise<{ callback: string; cookie: string; page: Page }> {
  const { location, cookie } = await begin();
  const callback = await agree(location);
  const page = await open(callback, { headers: { cookie } });
  return { callback, cookie, page };
}

const rowSchema = z.object({
  store_key: z.string(),
  access_token: z.string().nullable(),
  refresh_token: z.string().nullable(),
  access_until: z.date().nullable(),
});
async function row(): Promise<z.infer<typeof rowSchema>> {
  const [found] = await world.rows('SELECT * FROM store_installation WHERE shop = $1', [SHOP]);
  return rowSchema.parse(found);
}
const stores = (): string[] => daemon.daemon.get(Connections).stores.map(({ key }) => key);
const connector = () => daemon.daemon.get(Connections).store('merchant').connector;
const subscriptions = (): string[] => store.webhookSubscriptions().map(({ topic, uri }) => `${topic} ${uri}`);
const tokens = (): InstallationTokens => daemon.daemon.get(InstallationTokens);

/** The query of a callback with a change, signed again under this secret. */
function signed(callback: string, change: Record<string, string>, secret: string): string {
  const url = new URL(callback);
  url.searchParams.delete('hmac');
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value);
  url.searchParams.sort();
  const hmac = createHmac('sha256', secret).update(url.searchParams.toString()).digest('hex');
  url.searchParams.set('hmac', hmac);
  return url.href;
}

describe('the install flow', () => {
  it('leads to the consent page of the shop, with the address of the configuration and not of the Host header', async () => {
    const { status, location, cookie } = await begin(`shop=${SHOP}`, { 'x-forwarded-host': 'evil.example' });
    const url = new URL(location);
    expect([status, url.origin, url.pathname]).toEqual([302, store.url, '/admin/oauth/authorize']);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: APP.clientId,
      scope: 'read_products,write_products',
      redirect_uri: `${world.url}/shopify/callback`,
      state: decodeURIComponent(cookie.split('=')[1] ?? ''),
    });
  });

  it('hands out no state that would be accepted as the signature of a store event', async () => {
    await installed();
    const { cookie } = await begin();
    const [id = '', until = '', code = ''] = decodeURIComponent(cookie.split('=')[1] ?? '').split('.');
    const signature = Buffer.from(code, 'base64url').toString('base64');
    for (const signed of [
      `install\n${SHOP}\n${id}\n${until}`,
      `${SHOP}\n${id}\n${until}`,
      `${id}.${until}`,
    ]) {
      const headers = {
        'x-shopify-hmac-sha256': signature,
        'x-shopify-topic': 'products/update',
        'x-shopify-webhook-id': randomBytes(8).toString('hex'),
      };
      const event = { method: 'POST', headers, body: signed };
      expect((await open(`${world.url}/webhooks/shopify/merchant`, event)).status).toBe(401);
    }
  });

  it.each([
    ['no shop', '', 400],
    ['another host', 'shop=evil.example', 400],
    ['a host that ends like a shop', 'shop=evil.example/.myshopify.com', 400],
    ['a user and a host', 'shop=x@evil.example%23.myshopify.com', 400],
    ['two shops', `shop=${SHOP}&shop=evil.myshopify.com`, 400],
    ['a wrong signature of the store', `shop=${SHOP}&timestamp=1&hmac=${'0'.repeat(64)}`, 401],
  ])('refuses %s without a redirect', async (_what, query, expected) => {
    const { status, location } = await begin(query);
    expect([status, location]).toEqual([expected, '']);
  });

  it('does not tell a stranger which shops are in the configuration', async () => {
    const known = await begin('shop=main.myshopify.com');
    const other = await begin('shop=nobody.myshopify.com');
    expect([known.status, other.status]).toEqual([302, 302]);
  });

  it('refuses a shop of a configuration file where the store signed for it', async () => {
    const url = `${world.url}/shopify/install?shop=main.myshopify.com&timestamp=1700000000`;
    const { search } = new URL(signed(url, {}, APP.clientSecret));
    expect((await begin(search.slice(1))).status).toBe(409);
    const callback = `${world.url}/shopify/callback?shop=main.myshopify.com&code=a&state=b&timestamp=1700000000`;
    expect((await open(signed(callback, {}, APP.clientSecret))).status).toBe(409);
  });

  it('takes the signed address that the store opens itself', async () => {
    const query = store.signedQuery({ shop: SHOP, timestamp: '1700000000' });
    expect((await begin(query)).status).toBe(302);
  });

  it('adds the store under its name, subscribes to its events, and keeps the tokens sealed', async () => {
    const { page } = await installed();
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('under the name merchant')]);
    expect(stores()).toEqual(['main', 'merchant']);
    expect((await connectorFindings(connector())).filter(({ level }) => level === 'fail')).toEqual([]);
    expect(subscriptions()).toContain(`APP_UNINSTALLED ${world.url}/webhooks/shopify/merchant`);
    const { accessToken } = (await tokens().of(SHOP).read()) ?? {};
    expect(accessToken).toMatch(/^shpat_/);
    const dump = await world.tableDump();
    expect(dump).toContain('v1.');
    for (const secret of [accessToken ?? '', 'shprt_', APP.clientSecret]) expect(dump).not.toContain(secret);
  });

  it('makes a run of the new store, as of any other', async () => {
    expect((await world.runToEnd({ store: 'merchant' })).status).toBe('succeeded');
  });

  it.each([
    ['by another browser', 403, (callback: string) => open(callback)],
    [
      'with the cookie of another flow',
      403,
      async (callback: string) => open(callback, { headers: { cookie: (await begin()).cookie } }),
    ],
    [
      'signed with another secret',
      401,
      (callback: string, cookie: string) => open(signed(callback, {}, 'wrong'), { headers: { cookie } }),
    ],
    [
      'with a changed shop',
      401,
      (callback: string, cookie: string) =>
        open(callback.replace('shop=merchant', 'shop=other'), { headers: { cookie } }),
    ],
    [
      'for another shop, signed by it',
      403,
      (callback: string, cookie: string) =>
        open(signed(callback, { shop: 'other.myshopify.com' }, APP.clientSecret), { headers: { cookie } }),
    ],
    [
      'with a code that the store does not know',
      403,
      (callback: string, cookie: string) =>
        open(signed(callback, { code: 'guessed' }, APP.clientSecret), { headers: { cookie } }),
    ],
  ])('refuses a callback %s, and changes nothing', async (_what, expected, call) => {
    const before = await row();
    const { location, cookie } = await begin();
    const callback = await agree(location);
    expect((await call(callback, cookie)).status).toBe(expected);
    expect(await row()).toEqual(before);
    expect(stores()).toEqual(['main', 'merchant']);
  });

  it('takes a callback once', async () => {
    const { callback, cookie, page } = await installed();
    expect(page.status).toBe(200);
    const again = await open(callback, { headers: { cookie } });
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('used before')]);
  });
});

const newestAudited = (count: number) =>
  world.rows(
    `SELECT actor, via, what, targets, outcome FROM audit_entry ORDER BY id DESC LIMIT ${String(count)}`,
  );

describe('the audit record', () => {
  it('has the installation, and a callback that was refused', async () => {
    const { callback, cookie } = await installed();
    await open(callback, { headers: { cookie } });
    expect(await newestAudited(2)).toEqual([
      { actor: 'nobody', via: 'store', what: 'install', targets: [], outcome: 'refused' },
      { actor: SHOP, via: 'store', what: 'install', targets: ['merchant'], outcome: 'done' },
    ]);
  });
});

describe('the token of an installed store', () => {
  it('is renewed before it expires, once for all calls, and the new pair is kept', async () => {
    await installed();
    const before = await row();
    lateMs = 2 * HOUR_MS;
    await world.rows(`UPDATE store_installation SET access_until = now() - interval '1 minute'`);
    const other = tokens().of(SHOP);
    const fresh = await Promise.all([1, 2, 3].map(() => connectorFindings(connector())));
    expect(fresh.flat().filter(({ level }) => level === 'fail')).toEqual([]);
    const after = await row();
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(after.access_until?.getTime()).toBeGreaterThan(Date.now());
    expect((await other.read())?.accessToken).toMatch(/^shpat_/);
  });

  it('is renewed once when several processes find it expired', async () => {
    await installed();
    const expired = (await tokens().of(SHOP).read())?.accessToken ?? '';
    let renewals = 0;
    const renew = () => {
      renewals += 1;
      const grant = {
        accessToken: 'shpat_next',
        scopes: [],
        lifetimeMs: HOUR_MS,
        refreshToken: 'shprt_next',
      };
      return Promise.resolve(grant);
    };
    const found = await Promise.all([1, 2, 3].map(() => tokens().of(SHOP).renewed(expired, renew)));
    expect(found.map((token) => token?.accessToken)).toEqual(['shpat_next', 'shpat_next', 'shpat_next']);
    expect(renewals).toBe(1);
  });

  it('is sealed again when the encryption key is replaced', async () => {
    await installed();
    const before = await row();
    await daemon.stop();
    await configure(`${NEXT_KEY},${KEY}`);
    daemon = await world.startHere();
    await until('the new seal', async () =>
      (await row()).access_token !== before.access_token ? true : null,
    );
    await daemon.stop();
    await configure(NEXT_KEY);
    daemon = await world.startHere();
    expect((await connectorFindings(connector())).filter(({ level }) => level === 'fail')).toEqual([]);
  });
});

describe('a signed event', () => {
  it('starts nothing when what is signed is no event of a product or of the shop', async () => {
    const before = await world.rows('SELECT external_id FROM announced_product');
    for (const body of ['"a state"', '{}', '[]', 'not json', '{"shop":"merchant"}']) {
      const answer = await sendEvent(world.url, body, 'products/update');
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ignored')]);
    }
    expect(await world.rows('SELECT external_id FROM announced_product')).toEqual(before);
  });
});

describe('other processes', () => {
  it('find a newly installed store at their next look', async () => {
    await world.rows(`UPDATE store_installation SET store_key = 'renamed'`);
    await daemon.daemon.get(ConnectionRefresh).refresh();
    expect(stores()).toEqual(['main', 'renamed']);
    await world.rows(`UPDATE store_installation SET store_key = 'merchant'`);
    await daemon.daemon.get(ConnectionRefresh).refresh();
    expect(stores()).toEqual(['main', 'merchant']);
  });
});

describe('a process that only receives', () => {
  it('installs a store and subscribes to its events', async () => {
    await daemon.stop();
    store.uninstall();
    await store.idle();
    await configure(NEXT_KEY, { roles: ['receive'] });
    daemon = await world.startHere();
    expect((await installed()).page.status).toBe(200);
    expect(stores()).toEqual(['main', 'merchant']);
    expect(subscriptions()).toContain(`APP_UNINSTALLED ${world.url}/webhooks/shopify/merchant`);
  });

  it('sends nothing to the catalog service and to a store of the configuration, whatever asks', async () => {
    const main = daemon.daemon.get(Connections).store('main');
    const before = world.store.requests.length;
    for (const call of [
      async () => main.connector.probe(),
      async () => main.connector.count(),
      async () => main.workspace.client.listProducts(),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'misconfigured',
        message: expect.stringContaining('role receive alone'),
      });
    expect(world.store.requests).toHaveLength(before);
  });
});
