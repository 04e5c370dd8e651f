import { expect, it } from '@jest/globals';
import type { CatalogClient } from '../catalog/client.js';
import { productSchema } from '../catalog/schemas.js';
import { variantLinksOf } from './find-product.js';

const OURS = 'shopify:demo.myshopify.com:1:11';

it('links the variants that are ours, whatever else the catalog gives the product', async () => {
  const product = productSchema.parse({
    id: 7,
    external_id: 'shopify:demo.myshopify.com:1',
    variants: [
      { id: 71, external_id: OURS },
      { id: 72, external_id: 'erp-4711' },
      { id: 73, external_id: 'shopify:demo.myshopify.com:1:12\u0000' },
      { id: 74, external_id: null },
    ],
  });
  expect(await variantLinksOf({} as CatalogClient, product)).toEqual({ [OURS]: '71' });
});
