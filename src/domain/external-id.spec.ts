import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExternalId, productExternalId, variantExternalId } from './external-id.js';

const shop = 'example-1.myshopify.com';

describe('external_ids', () => {
  it('have the form that docs/decisions/0005-identity.md fixes', () => {
    expect(productExternalId(shop, '1')).toBe('shopify:example-1.myshopify.com:1');
    expect(variantExternalId(shop, '1', '2')).toBe('shopify:example-1.myshopify.com:1:2');
  });

  it('read back as what they were made of', () => {
    const id = fc.bigInt({ min: 1n, max: 2n ** 63n }).map(String);
    fc.assert(
      fc.property(id, id, (productId, variantId) => {
        expect(parseExternalId(productExternalId(shop, productId))).toEqual({ shop, productId });
        expect(parseExternalId(variantExternalId(shop, productId, variantId))).toEqual({
          shop,
          productId,
          variantId,
        });
      }),
    );
  });

  it.each([
    '',
    'shopify',
    `shopify:${shop}`,
    `shopify:${shop}:`,
    `shopify:${shop}:x`,
    `shopify:${shop}:1:`,
    `shopify:${shop}:1:2:3`,
    `shopify:${shop}:1\n`,
    ` shopify:${shop}:1`,
    `shopify:${shop}:-1`,
    `shopify:${shop}:１`,
    'shopify:example.com:1',
    'shopify:.myshopify.com:1',
    'shopify:-a.myshopify.com:1',
    'shopify:a.b.myshopify.com:1',
    'shopify:A.myshopify.com:1',
    `SHOPIFY:${shop}:1`,
    `erp:${shop}:1`,
    'gid://shopify/Product/1',
  ])('%j is somebody else’s', (value) => {
    expect(parseExternalId(value)).toBeNull();
  });
});
