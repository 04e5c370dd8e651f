import { ConflictException, Get, NotFoundException, Param, Query } from '@nestjs/common';
import { ApiController } from './api-routes.js';
import { Describe } from './describe.js';
import type { Page } from '../operations/paging.js';
import {
  ProductOperations,
  productPageSchema,
  productQuerySchema,
  productTimelineSchema,
  type ListedProduct,
  type ProductQuery,
  type ProductTimeline,
} from '../operations/products.js';
import { Allow } from './allow.js';

/** Products and their timelines (docs/http.md). */
@ApiController('api/v1/products')
export class ProductsController {
  constructor(private readonly products: ProductOperations) {}

  @Describe({
    summary: 'Products',
    answer: { name: 'ProductPage', schema: productPageSchema },
  })
  @Get()
  @Allow('viewer')
  list(@Query({ schema: productQuerySchema }) query: ProductQuery): Promise<Page<ListedProduct>> {
    return this.products.list(query);
  }

  /** Finds a product by external_id, or by a SKU, barcode or handle that only one product has. */
  @Describe({
    summary: 'The timeline of one product, by its URL-encoded external_id (or SKU, barcode, handle)',
    answer: { name: 'Product', schema: productTimelineSchema },
    errors: [404, 409],
  })
  @Get(':externalId')
  @Allow('viewer')
  async show(@Param('externalId') name: string): Promise<ProductTimeline> {
    const found = await this.products.find(name);
    if (found.length > 1) {
      throw new ConflictException({
        message: `${name.slice(0, 100)} matches several products: use an external_id of details`,
        details: { externalIds: found },
      });
    }
    const timeline = found[0] === undefined ? null : await this.products.timeline(found[0]);
    if (timeline === null) throw new NotFoundException(`no product ${name.slice(0, 100)}`);
    return timeline;
  }
}
