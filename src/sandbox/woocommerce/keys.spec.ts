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

describe('a key', () => {
  it('is not taken by basic authentication over plain http (A1, A2)', async () => {
    const shop = await wooSandbox();
    const headers = basic(shop.consumerKey, shop.consumerSecret);
    expect(await plain(shop, 'GET', '/wp-json/wc/v3/products', { headers })).toMatchObject({
      status: 401,
      body: { code: 'woocommerce_rest_cannot_view' },
    });
  });

  it('signs for the address that the shop calls its own, with lists by commas (A3)', async () => {
    const shop = await wooSandbox();
    shop.shop.homeUrl = 'http://shop.example';
    const query = { include: '1,2', per_page: '5' };
    expect((await ask(shop, 'GET', 'products', { query })).status).toBe(200);
    expect(await ask(shop, 'GET', 'products', { query, signedFor: shop.url })).toMatchObject({
      status: 401,
      body: { code: 'woocommerce_rest_authentication_error' },
    });
  });

  it.each<[string, string, CallOptions, string]>([
    ['unknown', 'GET', { key: 'ck_other' }, 'Consumer key is invalid.'],
    ['badly signed', 'GET', { secret: 'cs_other' }, 'Invalid signature - provided signature does not match.'],
    ['with an old timestamp', 'GET', { oauth: { oauth_timestamp: '1600000000' } }, 'Invalid timestamp.'],
    [
      'to read alone, and writes',
      'POST',
      { key: 'ck_read', secret: 's', body: { name: 'x' } },
      'The API key provided does not have write permissions.',
    ],
  ])('that is %s is refused (A4)', async (_kind, method, options, message) => {
    const shop = await wooSandbox();
    shop.addKey({ key: 'ck_read', secret: 's', permissions: 'read' });
    expect(await ask(shop, method, 'products', options)).toMatchObject({
      status: 401,
      body: { code: 'woocommerce_rest_authentication_error', message, data: { status: 401 } },
    });
  });

  it('serves a nonce once (A3)', async () => {
    const shop = await wooSandbox();
    const oauth = { oauth_nonce: 'once' };
    expect((await ask(shop, 'GET', 'products', { oauth })).status).toBe(200);
    expect((await ask(shop, 'GET', 'products', { oauth })).body).toMatchObject({
      message: 'Invalid nonce - nonce has already been used.',
    });
  });
});
