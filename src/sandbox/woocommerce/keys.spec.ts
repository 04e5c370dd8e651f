import { afterEach, describe, expect, it } from '@jest/globals';
import {
  ask,
  basic,
  plain,
  stopWooSandboxes,
  wooSandbox,
} from '../../../test/support/sandbox/woocommerce-caller.js';
import type { CallOptions } from '../../../test/support/sandbox/woocommerce-caller.js';

afterEach(stopWooSandboxes);

const PRODUCTS = '/wp-json/wc/v3/products';

describe('a key', () => {
  it('is taken by basic authentication and in the query over TLS (A1)', async () => {
    const shop = await wooSandbox({ tls: true });
    const { consumerKey: key, consumerSecret: secret } = shop;
    expect((await plain(shop, 'GET', PRODUCTS, { headers: basic(key, secret) })).status).toBe(200);
    const query = { consumer_key: key, consumer_secret: secret };
    expect((await plain(shop, 'GET', PRODUCTS, { query })).status).toBe(200);
    expect(
      (await ask(shop, 'GET', 'products', { signedFor: shop.url.replace('http', 'https') })).status,
    ).toBe(200);
  });

  it('is not taken by basic authentication or in the query over plain http, on the loopback neither (A1, A2)', async () => {
    const shop = await wooSandbox();
    const { consumerKey: key, consumerSecret: secret } = shop;
    const refusal = { status: 401, body: { code: 'woocommerce_rest_cannot_view' } };
    expect(await plain(shop, 'GET', PRODUCTS, { headers: basic(key, secret) })).toMatchObject(refusal);
    const query = { consumer_key: key, consumer_secret: secret };
    expect(await plain(shop, 'GET', PRODUCTS, { query })).toMatchObject(refusal);
  });

  it('signs for the address that the shop calls its own, with lists by commas (A3)', async () => {
    const shop = await wooSandbox({ homeUrl: 'http://shop.example' });
    expect((await ask(shop, 'GET', 'products', { query: { include: '1,2', per_page: '5' } })).status).toBe(
      200,
    );
    const wrong = { status: 401, body: { code: 'woocommerce_rest_authentication_error' } };
    expect(await ask(shop, 'GET', 'products', { signedFor: shop.url })).toMatchObject(wrong);
    expect(await ask(shop, 'GET', 'products', { query: { 'include[]': '1' } })).toMatchObject(wrong);
  });

  it('signs in the header as well (A3)', async () => {
    const shop = await wooSandbox();
    expect((await ask(shop, 'GET', 'products', { inHeader: true, query: { page: '1' } })).status).toBe(200);
    expect((await ask(shop, 'GET', 'products', { inHeader: true, secret: 'x' })).status).toBe(401);
  });

  it.each<[string, CallOptions, number, string, string]>([
    [
      'unknown',
      { key: 'ck_other' },
      401,
      'woocommerce_rest_authentication_error',
      'Consumer key is invalid.',
    ],
    [
      'of a wrong secret',
      { secret: 'cs_other' },
      401,
      'woocommerce_rest_authentication_error',
      'Invalid signature - provided signature does not match.',
    ],
    [
      'with an old timestamp',
      { oauth: { oauth_timestamp: '1600000000' } },
      401,
      'woocommerce_rest_authentication_error',
      'Invalid timestamp.',
    ],
    [
      'that may only write',
      { key: 'ck_write', secret: 's' },
      401,
      'woocommerce_rest_authentication_error',
      'The API key provided does not have read permissions.',
    ],
    [
      'of an author',
      { key: 'ck_author', secret: 's' },
      403,
      'woocommerce_rest_cannot_view',
      'Sorry, you cannot list resources.',
    ],
  ])('that is %s is refused (A4)', async (_kind, options, status, code, message) => {
    const shop = await wooSandbox();
    shop.addKey({ key: 'ck_write', secret: 's', permissions: 'write', role: 'shop_manager' });
    shop.addKey({ key: 'ck_author', secret: 's', permissions: 'read_write', role: 'author' });
    const answer = await ask(shop, 'GET', 'products', options);
    expect(answer).toMatchObject({ status, body: { code, message, data: { status } } });
  });

  it('of a wrong secret, unknown, revoked and absent are told apart over TLS by the secret alone (A4)', async () => {
    const shop = await wooSandbox({ tls: true });
    const get = (headers: Record<string, string>) => plain(shop, 'GET', PRODUCTS, { headers });
    expect((await get(basic(shop.consumerKey, 'x'))).body).toMatchObject({
      message: 'Consumer secret is invalid.',
    });
    shop.revokeKey(shop.consumerKey);
    for (const headers of [basic(shop.consumerKey, shop.consumerSecret), basic('ck_other', 'x'), {}])
      expect((await get(headers)).body).toMatchObject({ code: 'woocommerce_rest_cannot_view' });
  });

  it('serves a nonce once (A3)', async () => {
    const shop = await wooSandbox();
    const oauth = { oauth_nonce: 'once' };
    expect((await ask(shop, 'GET', 'products', { oauth })).status).toBe(200);
    expect((await ask(shop, 'GET', 'products', { oauth })).body).toMatchObject({
      message: 'Invalid nonce - nonce has already been used.',
    });
  });

  it('that may only read gets 401 for a write (A4)', async () => {
    const shop = await wooSandbox();
    shop.addKey({ key: 'ck_read', secret: 's', permissions: 'read', role: 'shop_manager' });
    expect(
      await ask(shop, 'POST', 'products', { key: 'ck_read', secret: 's', body: { name: 'x' } }),
    ).toMatchObject({
      status: 401,
      body: { message: 'The API key provided does not have write permissions.' },
    });
  });

  it('of a shop manager does for products, webhooks and the status (A5)', async () => {
    const shop = await wooSandbox();
    for (const path of ['products', 'webhooks', 'system_status'])
      expect((await ask(shop, 'GET', path)).status).toBe(200);
  });

  it('is for the shop’s own routes, not for those of WordPress', async () => {
    const shop = await wooSandbox();
    const refusal = { status: 401, body: { code: 'rest_not_logged_in' } };
    expect(await ask(shop, 'GET', '/wp/v2/product')).toMatchObject(refusal);
  });

  it('is not asked for by the index, and nowhere with plain permalinks', async () => {
    const shop = await wooSandbox({ homeUrl: 'http://shop.example' });
    const index = await plain(shop, 'GET', '/wp-json/', { query: { _fields: 'name,home,namespaces' } });
    expect(index.body).toMatchObject({
      home: 'http://shop.example',
      namespaces: expect.arrayContaining(['wc/v3']),
    });
    const odd = await wooSandbox({ permalinks: 'plain' });
    const moved = await ask(odd, 'GET', 'products');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, `${odd.url}/`]);
  });

  it('is never throttled (A8)', async () => {
    const shop = await wooSandbox();
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(shop, 'GET', 'products')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
  });
});

describe('what stands before the shop', () => {
  it('answers HTML in place of JSON, and cuts a connection before or after the request', async () => {
    const shop = await wooSandbox();
    shop.failNext(503, { operation: 'GET products' });
    expect(await ask(shop, 'GET', 'products')).toMatchObject({
      status: 503,
      body: { text: expect.stringContaining('<html>') },
    });
    shop.failNext(500);
    expect((await ask(shop, 'GET', 'products')).body).toMatchObject({ code: 'internal_server_error' });
    shop.resetNext();
    await expect(ask(shop, 'POST', 'products', { body: { name: 'A' } })).rejects.toThrow();
    expect(shop.products.list()).toHaveLength(0);
    shop.resetNext({ when: 'after' });
    await expect(ask(shop, 'POST', 'products', { body: { name: 'A' } })).rejects.toThrow();
    expect(shop.products.list()).toHaveLength(1);
  });
});
