import { ConflictException, Param, Query } from '@nestjs/common';
import { ApiController, Describe, Read } from './api-routes.js';
import { found } from '../operations/found.js';
import type { Page } from '../operations/paging.js';
import {
  ProductOperations,
  productQuerySchema,
  type ListedProduct,
  type ProductQuery,
  type ProductTimeline,
} from '../operations/products.js';

/** Products and their timelines (docs/http.md). */
@ApiController('api/v1/products')
export class ProductsController {
  constructor(private readonly products: ProductOperations) {}

  @Describe('Products', 'ProductPage')
  @Read()
  list(@Query({ schema: productQuerySchema }) query: ProductQuery): Promise<Page<ListedProduct>> {
    return this.products.list(query);
  }

  /** Finds a product by external_id, or by a SKU, barcode or handle that only one product has. */
  @Describe(
    'The timeline of one product, by its URL-encoded external_id (or SKU, barcode, handle)',
    'Product',
    [404, 409],
  )
  @Read(':externalId')
  async show(@Param('externalId') name: string): Promise<ProductTimeline> {
    const externalIds = await this.products.find(name);
    if (externalIds.length > 1) {
      throw new ConflictException({
        message: `${name.slice(0, 100)} matches several products: use an external_id of details`,
        details: { externalIds },
      });
    }
    return this.products.timeline(found(externalIds[0], 'product', name));
  }
}
