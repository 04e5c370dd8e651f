import { describe, expect, it } from '@jest/globals';
import { ShopifyEvents } from './events.js';

const productsOf = (body: Uint8Array) => new ShopifyEvents('demo.myshopify.com', 'secret').products(body);

describe('the product of an event', () => {
  it.each([
    ['an update', '{"id":7,"admin_graphql_api_id":"gid://shopify/Product/7"}', ['gid://shopify/Product/7']],
    ['a deletion', '{"id":7}', ['gid://shopify/Product/7']],
    ['an event about something else', '{"id":7,"admin_graphql_api_id":"gid://shopify/Order/7"}', []],
    ['an id of other signs than digits', '{"id":"1; DROP TABLE owed_product"}', []],
  ])('is read of %s', (_name, body, ids) => {
    expect(productsOf(Buffer.from(body))).toEqual(ids);
  });

  it('is none of a body that is not UTF-8', () => {
    expect(productsOf(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual([]);
  });
});
