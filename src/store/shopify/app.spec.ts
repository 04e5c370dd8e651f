import { describe, expect, it } from '@jest/globals';
import { appEventOf } from './app.js';

const SHOP = { shop_id: 1, shop_domain: 'One.myshopify.com' };
const CUSTOMER = { ...SHOP, customer: { id: 2, email: 'a@example.com' }, orders_to_redact: [3] };
const read = (topic: string | undefined, body: unknown) =>
  appEventOf(
    { 'x-shopify-topic': topic },
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  );

describe('a compliance request of Shopify', () => {
  it.each([
    ['customers/data_request', CUSTOMER],
    ['customers/redact', CUSTOMER],
    ['shop/redact', SHOP],
  ])('is read: %s', (topic, body) => {
    expect(read(topic, body)).toEqual({ topic, shop: 'one.myshopify.com' });
  });

  it.each([
    ['another topic', 'products/update', SHOP],
    ['no topic', undefined, SHOP],
    ['a body about a customer under the topic of a shop', 'shop/redact', CUSTOMER],
    ['a host that is no shop', 'shop/redact', { ...SHOP, shop_domain: 'evil.example' }],
    ['no JSON', 'shop/redact', '{'],
  ])('is not %s', (_what, topic, body) => {
    expect(read(topic, body)).toBeNull();
  });
});
