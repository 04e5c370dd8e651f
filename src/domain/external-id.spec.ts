import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExternalId, productExternalId, shopIdentity, variantExternalId } from './external-id.js';

const shop = 'example-1.myshopify.com';
const store = shopIdentity('shopify', shop);
const UUID = '7d0d1b52-6a8e-4c7c-9d2f-3f0d3a5e9b11';

describe('external_ids', () => {
  it('have the form that docs/decisions/0005-identity.md fixes', () => {
    expect(productExternalId(store, '1')).toBe('shopify:example-1.myshopify.com:1');
    expect(variantExternalId(store, '1', '2')).toBe('shopify:example-1.myshopify.com:1:2');
  });

  it('read back as what they were made of', () => {
    const id = fc.bigInt({ min: 1n, max: 2n ** 63n }).map(String);
    fc.assert(
      fc.property(id, id, (productId, variantId) => {
        expect(parseExternalId(productExternalId(store, productId))).toEqual({ store, productId });
        expect(parseExternalId(variantExternalId(store, productId, variantId))).toEqual({
          store,
          productId,
          variantId,
        });
      }),
    );
  });

  it.each([
    ['woocommerce', UUID],
    ['woocommerce', 'shop.example.com'],
    ['woocommerce', '127.0.0.1'],
  ])('name a shop of the kind %s as %s', (kind, name) => {
    const identity = shopIdentity(kind, name);
    expect(parseExternalId(productExternalId(identity, '7'))).toEqual({ store: identity, productId: '7' });
  });

  it.each([
    '',
    'shopify',
    `shopify:${shop}`,
    `shopify:${shop}:`,
    `shopify:${shop}:x`,
    `shopify:${shop}:1:`,
    `shopify:${shop}:1\n`,
    ` shopify:${shop}:1`,
    'shopify:example:1',
    'shopify:.myshopify.com:1',
    'shopify:a.myshopify.com.:1',
    'shopify:A.myshopify.com:1',
    `SHOPIFY:${shop}:1`,
    'erp:1:2',
    'erp-2:example.com:1',
  ])('%j is somebody else’s', (value) => {
    expect(parseExternalId(value)).toBeNull();
  });
});
