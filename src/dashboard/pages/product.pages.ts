import {
  Controller,
  Get,
  NotFoundException,
  Param,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ProductOperations } from '../../operations/timeline.js';
import { Allow } from '../../api/allow.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { productPath } from '../elements.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt, pageListSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { Thumbnails } from '../thumbnails.js';
import { foundPage, LINK_STATES, productsPage, timelinePage } from '../views/products.js';
import { messages } from '../messages.js';

const querySchema = pageListSchema(LINK_STATES).extend({
  name: z.string().trim().max(300).optional().catch(undefined),
});

@Controller('products')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class ProductPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly products: ProductOperations,
    private readonly thumbnails: Thumbnails,
  ) {}

  @Get()
  @Allow('viewer')
  async list(
    @Query(new ZodPipe(querySchema)) { offset, state, store, name }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (name !== undefined && name !== '') {
      const found = await this.products.find(name);
      const [only] = found;
      if (only !== undefined && found.length === 1) response.redirect(303, productPath(only));
      else response.send(foundPage(visitorOf(this.sessions, request, response), name, found));
      return;
    }
    const products = await this.products.list({ ...pageAt(offset), state, store });
    const images = await this.thumbnails.of(products.items.map(({ externalId }) => externalId));
    response.send(productsPage(visitorOf(this.sessions, request, response), products, state, images));
  }

  @Get(':id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const timeline = await this.products.timeline(id);
    if (timeline === null) throw new NotFoundException(messages.unknownProduct(id.slice(0, 300)));
    const images = await this.thumbnails.of([timeline.externalId]);
    const visitor = visitorOf(this.sessions, request, response);
    return timelinePage(visitor, timeline, images.get(timeline.externalId));
  }
}
