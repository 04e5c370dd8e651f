import { describe, expect, it } from '@jest/globals';
import { productIdOfEvent } from './product-event.js';

describe('productIdOfEvent', () => {
  it.each([
    [
      'an update',
      '{"id":7,"admin_graphql_api_id":"gid://shopify/Product/7","title":"x"}',
      'gid://shopify/Product/7',
    ],
    ['a deletion', '{"id":7}', 'gid://shopify/Product/7'],
    ['an event about something else', '{"id":7,"admin_graphql_api_id":"gid://shopify/Order/7"}', null],
    ['an event without an id', '{"title":"x"}', null],
    ['a list', '[]', null],
    ['what is no JSON', 'no', null],
  ])('reads %s', (_name, body, id) => {
    expect(productIdOfEvent(Buffer.from(body))).toBe(id);
  });

  it('names nothing of a body that is not UTF-8', () => {
    expect(productIdOfEvent(Buffer.from([0x7b, 0xff, 0x7d]))).toBeNull();
  });
});
