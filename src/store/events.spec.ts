import { createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createStoreEvents } from './events.js';

it('the events of a store are verified by the rules of its own kind alone', () => {
  const settings = {
    kind: 'woocommerce',
    shop: 'shop.example.com',
    webhookSecret: 'a secret of the operator',
  };
  const body = Buffer.from('{"id":7}');
  const signature = createHmac('sha256', settings.webhookSecret).update(body).digest('base64');
  const headers = { 'x-wc-webhook-signature': signature, 'x-shopify-hmac-sha256': signature };
  expect(createStoreEvents('woocommerce', settings).verify(headers, body)).toBe('signed');
  expect(createStoreEvents('shopify', settings).verify(headers, body)).toBe('forged');
  expect(createStoreEvents('woocommerce', null).verify(headers, body)).toBe('forged');
});
