import { inspect } from 'node:util';
import { connectorFindings } from '../../operations/connector-findings.js';
import { describe, expect, it } from '@jest/globals';
import type { RequestReport } from '../index.js';
import { contentNode, productUpdate } from '../../../test/support/store/products.js';
import {
  CANARY,
  collect,
  connect,
  cost,
  data,
  refusal,
  ScriptedStore,
  SHOP,
  type Call,
  type Reply,
} from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

const COUNT = { productsCount: { count: 3, precision: 'EXACT' } };
const UPDATED = productUpdate(contentNode());
const GID = 'gid://shopify/Product/1';

const store = ScriptedStore.forEachTest();

/** The store exchanges credentials for token-1, token-2, … and answers calls with a count. */
function exchanging({ operation, earlier }: Call): Reply {
  if (operation !== '') return data(COUNT);
  return { json: { access_token: `token-${String(earlier + 1)}`, scope: 'x', expires_in: 86_399 } };
}

describe('calls that the store asks to slow down', () => {
  it('waits (requested − available) / restore rate after THROTTLED and asks again', async () => {
    store.answerInTurn(refusal('THROTTLED', 'Throttled', { requested: 50, available: 20 }), data(COUNT));
    const { connector, slept } = connect(store.url);
    await expect(connector.parts.pages.count('')).resolves.toBe(3);
    expect(slept).toEqual([300]);
  });

  it('gives up as throttled, saying how long, once waiting has taken its share', async () => {
    store.answerWith(() => refusal('THROTTLED', 'Throttled', { requested: 1_000, available: 0 }));
    const { connector, slept } = connect(store.url, { limits: { throttleWaitMs: 25_000 } });
    const error = await failureOf(connector.parts.pages.count(''));
    expect(error).toMatchObject({ code: 'throttled', retryAfterMs: 10_000 });
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(25_000);
  });

  it.each(['0', 'Fri, 20 Nov 2026 11:00:00 GMT'])(
    'gives up as throttled where each 429 says to come back at once (Retry-After: %s)',
    async (header) => {
      let answers = 0;
      store.answerWith(() => {
        answers += 1;
        return answers > 50 ? data(COUNT) : { status: 429, text: 'slow', headers: { 'retry-after': header } };
      });
      const { connector, slept } = connect(store.url, { limits: { throttleWaitMs: 10_000 } });
      await expect(connector.parts.pages.count('')).rejects.toMatchObject({ code: 'throttled' });
      expect(slept).toEqual(Array.from({ length: 10 }, () => 1_000));
    },
  );

  it('survives a THROTTLED answer without cost', async () => {
    const json = { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] };
    store.answerInTurn({ json }, data(COUNT));
    const { connector, slept } = connect(store.url);
    await expect(connector.parts.pages.count('')).resolves.toBe(3);
    expect(slept).toEqual([1_000]);
  });

  it.each([
    ['seconds', '7', 7_000],
    ['a date', 'Fri, 20 Nov 2026 12:00:05 GMT', 5_000],
    ['nothing', undefined, 1_000],
  ])('obeys a Retry-After of %s after 429, also for a mutation', async (_form, header, waitMs) => {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    store.answerInTurn({ status: 429, text: 'slow down', headers }, data(UPDATED));
    const { connector, slept } = connect(store.url);
    await connector.parts.writer.fields(GID, { title: 'New' });
    expect(slept).toEqual([waitMs]);
    expect(store.operations()).toEqual(['ProductUpdate', 'ProductUpdate']);
  });

  it('lets a call wait when the bucket holds too little for it', async () => {
    store.answerWith(() => data(COUNT, { cost: cost({ requested: 100, actual: 100, available: 0 }) }));
    const { connector, slept } = connect(store.url);
    await connector.parts.pages.count('');
    await connector.parts.pages.count('');
    expect(slept).toEqual([1_000]);
  });
});

describe('calls that fail in transit', () => {
  it.each([
    ['a reset', { cutAfterBytes: 0 }],
    ['a reset within the body', { json: { data: COUNT }, cutAfterBytes: 5 }],
    ['a 502', { status: 502, text: '<html>Bad gateway</html>' }],
    ['a page of HTML with status 200', { text: '<html>maintenance</html>' }],
    ['errors that are a text', { json: { errors: 'Something is off' } }],
    ['an answer without data', { json: {} }],
    ['data of another shape', { json: { data: { productsCount: 3 } } }],
    ['INTERNAL_SERVER_ERROR', refusal('INTERNAL_SERVER_ERROR')],
  ])('reads again after %s', async (_fault, reply) => {
    store.answerWith(({ earlier }) => (earlier < 2 ? reply : data(COUNT)));
    const { connector, slept } = connect(store.url);
    await expect(connector.parts.pages.count('')).resolves.toBe(3);
    expect(slept).toEqual([500, 1_000]);
  });

  it('fails as transient after four tries', async () => {
    store.answerWith(() => ({ status: 503, text: '' }));
    expect(await failureOf(store.parts().pages.count(''))).toMatchObject({
      code: 'transient',
      status: 503,
    });
    expect(store.calls).toHaveLength(4);
  });

  it('does not repeat a write after a 504: the merchant may have edited since', async () => {
    store.answerInTurn({ status: 504, text: '' }, data(UPDATED));
    const error = await failureOf(store.parts().writer.fields(GID, { title: 'New' }));
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: true });
    expect(store.calls).toHaveLength(1);
  });

  it('says that nobody was reached, without a doubt about the outcome', async () => {
    const { connector } = connect('http://127.0.0.1:1', { limits: { attempts: 2 } });
    const error = await failureOf(connector.parts.writer.fields(GID, { title: 'x' }));
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: false });
  });
});

describe('calls that the store refuses', () => {
  const refusedRead = () => failureOf(collect(store.parts().pages.products({ query: '', since: null })));

  it.each([
    [401, 'auth'],
    [402, 'unavailable'],
    [403, 'auth'],
    [404, 'unavailable'],
    [423, 'unavailable'],
    [400, 'invalid'],
  ])('treats status %i as %s, and asks only once', async (status, code) => {
    store.answerWith(() => ({ status, json: { errors: 'no' } }));
    expect(await refusedRead()).toMatchObject({ code, status, side: 'store' });
    expect(store.calls).toHaveLength(1);
  });

  it.each([
    ['ACCESS_DENIED', 'auth'],
    ['MAX_COST_EXCEEDED', 'invalid'],
    ['SHOP_INACTIVE', 'unavailable'],
  ])('treats the error code %s as %s', async (vendorCode, code) => {
    store.answerWith(() => refusal(vendorCode));
    expect(await refusedRead()).toMatchObject({ code });
    expect(store.calls).toHaveLength(1);
  });

  it('never follows a redirect, which would carry the token to another host', async () => {
    const other = await ScriptedStore.started();
    try {
      store.answerWith(() => ({
        status: 307,
        headers: { location: `${other.url}/admin/api/2026-10/graphql.json` },
      }));
      expect(await failureOf(store.parts().pages.count(''))).toMatchObject({
        code: 'unavailable',
        status: 307,
      });
      expect(other.calls).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});

describe('credentials', () => {
  it('go with each call and appear in no error, however deep one looks', async () => {
    const replies = [
      { status: 401, json: { errors: `[API] Invalid API key ${CANARY}` } },
      { json: { errors: `token ${CANARY} is odd` } },
      refusal('BAD_REQUEST', `bad ${CANARY}`),
      { status: 500, text: CANARY },
      { text: `<html>${CANARY}</html>` },
      { cutAfterBytes: 0 },
    ];
    const reports: RequestReport[] = [];
    for (const reply of replies) {
      store.answerWith(() => reply);
      const connector = store.connector({
        limits: { attempts: 1 },
        onRequest: (report) => reports.push(report),
      });
      const error = await failureOf(collect(connector.parts.pages.products({ query: '', since: null })));
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(CANARY);
      expect(JSON.stringify(await connectorFindings(connector))).not.toContain(CANARY);
    }
    expect(JSON.stringify(reports)).not.toContain(CANARY);
    expect(store.calls.every(({ headers }) => headers['x-shopify-access-token'] === CANARY)).toBe(true);
  });

  describe('of an app', () => {
    const auth = { clientId: 'client-1', clientSecret: 'secret-1' };

    it('are exchanged once for a token that many calls at a time share', async () => {
      store.answerWith(exchanging);
      const connector = store.connector({ auth });
      await Promise.all([1, 2, 3, 4].map(() => connector.parts.pages.count('')));
      const exchanges = store.calls.filter(({ operation }) => operation === '');
      expect(exchanges).toHaveLength(1);
      expect(Object.fromEntries(new URLSearchParams(exchanges[0]?.body))).toEqual({
        grant_type: 'client_credentials',
        client_id: 'client-1',
        client_secret: 'secret-1',
      });
    });

    it('are exchanged again before the token ends', async () => {
      store.answerWith(exchanging);
      const { connector, advance } = connect(store.url, { auth });
      await connector.parts.pages.count('');
      advance(86_000_000);
      await connector.parts.pages.count('');
      advance(200_000);
      await connector.parts.pages.count('');
      expect(store.calls.map(({ headers }) => headers['x-shopify-access-token']).filter(Boolean)).toEqual([
        'token-1',
        'token-1',
        'token-2',
      ]);
    });

    it('are exchanged again, once, when the token is refused', async () => {
      const refused = { status: 401, json: { errors: 'no' } };
      store.answerWith((call) =>
        call.headers['x-shopify-access-token'] === 'token-1' ? refused : exchanging(call),
      );
      const connector = store.connector({ auth });
      await expect(connector.parts.pages.count('')).resolves.toBe(3);
      store.answerWith((call) => (call.operation === '' ? exchanging(call) : refused));
      expect(await failureOf(connector.parts.pages.count(''))).toMatchObject({ code: 'auth' });
    });

    it('that are refused are an auth error that names the store’s public code and no secret', async () => {
      store.answerWith(() => ({
        status: 400,
        json: { error: 'shop_not_permitted', error_description: 'secret-1' },
      }));
      const error = await failureOf(store.parts({ auth }).pages.count(''));
      expect(error).toMatchObject({ code: 'auth', status: 400 });
      expect(error.message).toContain('shop_not_permitted');
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret-1');
    });

    it('are not sent after a redirect', async () => {
      store.answerWith(() => ({ status: 307, headers: { location: 'http://127.0.0.1:1/' } }));
      const connector = store.connector({ auth, limits: { attempts: 1 } });
      expect(await failureOf(connector.parts.pages.count(''))).toMatchObject({ code: 'transient' });
      expect(store.calls).toHaveLength(1);
    });
  });
});

it('the store is refused when another shop answers', async () => {
  const shop = { ...SHOP.shop, myshopifyDomain: 'other.myshopify.com' };
  store.answerWith(() => data({ ...SHOP, shop }));
  await expect(store.connector().probe()).rejects.toMatchObject({
    ...{ code: 'misconfigured', side: 'store' },
    message: expect.stringContaining('other.myshopify.com, not to demo-store.myshopify.com'),
  });
});

const TOKEN = { accessToken: 'shpat_x' };
const granted = (handle: string) => ({ currentAppInstallation: { accessScopes: [{ handle }] } });
const NO_BULK_YET = { bulkOperations: { nodes: [] } };

describe('check', () => {
  it('warns where the app may not use bulk operations, and starts none to find out', async () => {
    store.answerWith(({ operation }) => (operation === 'BulkRecent' ? refusal('ACCESS_DENIED') : data(SHOP)));
    const last = (await connectorFindings(store.connector())).at(-1);
    expect(last).toMatchObject({ level: 'warn', what: 'bulk operations' });
    expect(last?.detail).toContain('page by page');
    expect(store.calls.map(({ operation }) => operation)).toEqual(['WhoAmI', 'BulkRecent']);
  });

  it('finds all well', async () => {
    store.answerWith(() => data({ ...SHOP, ...NO_BULK_YET }));
    const connector = store.connector();
    await expect(connector.probe()).resolves.toMatchObject({
      ...{ name: 'Demo', servedVersion: null, mayWriteProducts: true },
    });
    const findings = await connectorFindings(connector);
    expect(findings.map(({ level, what }) => `${level} ${what}`)).toEqual([
      'ok store access',
      'ok shop',
      'ok scopes',
      'ok API version',
      'ok bulk operations',
    ]);
  });

  it.each([
    ['a missing scope', granted('read_products'), 'fail scopes', 'write_products'],
    [
      'a version that is not supported',
      { publicApiVersions: [{ handle: '2027-01', supported: true }] },
      'warn API version',
      '2027-01',
    ],
  ])('puts %s last, and says what to do', async (_name, change, finding, detail) => {
    store.answerWith(() => data({ ...SHOP, ...NO_BULK_YET, ...change }));
    const last = (await connectorFindings(store.connector())).at(-1);
    expect(`${last?.level ?? ''} ${last?.what ?? ''}`).toBe(finding);
    expect(last?.detail).toContain(detail);
  });

  it('accepts a write scope as its read scope, and requires the configured further scopes', async () => {
    store.answerWith(() => data({ ...SHOP, ...granted('write_products') }));
    const connector = store.connector({ requiredScopes: ['write_translations'] });
    const scopes = (await connectorFindings(connector)).find(({ what }) => what === 'scopes');
    expect(scopes?.detail).toMatch(/lacks write_translations:/);
  });

  it('fails when another version serves than the one configured', async () => {
    store.answerWith(() => ({ ...data(SHOP), headers: { 'x-shopify-api-version': '2026-01' } }));
    const connector = store.connector();
    await expect(connector.probe()).resolves.toMatchObject({ servedVersion: '2026-01' });
    expect((await connectorFindings(connector)).at(-1)).toMatchObject({ level: 'fail', what: 'API version' });
  });

  it.each([
    ['a refused token', TOKEN, { status: 401 }, /missing, wrong or revoked; check the store’s auth/],
    [
      'refused client credentials',
      { clientId: 'client-1', clientSecret: 'secret-1' },
      { status: 400, json: { error: 'invalid_client' } },
      /\(invalid_client\): check clientId and clientSecret, and that the app is installed$/,
    ],
    ['an unknown shop', TOKEN, { status: 404 }, /check shop and apiVersion/],
    ['a store that is down', TOKEN, { status: 503 }, /check that the store can be reached from here/],
  ])('says once what to do about %s', async (_name, auth, answer, todo) => {
    store.answerWith(() => answer);
    const [finding, ...more] = await connectorFindings(store.connector({ auth, limits: { attempts: 1 } }));
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      level: 'fail',
      what: 'store access',
      detail: expect.stringMatching(todo),
    });
    expect(finding?.detail.match(/check/gi)).toHaveLength(1);
  });
});
