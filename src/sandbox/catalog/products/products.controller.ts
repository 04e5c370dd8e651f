import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { BearerGuard, RequiresScope } from '../auth/bearer.guard.js';
import { methodNotAllowed, parseOrRefuse } from '../http/errors.js';
import { pageOfResults, pageRequest, type Page } from '../http/pages.js';
import { requestLocale } from '../http/query.js';
import { SandboxSettings } from '../settings.js';
import { productFilters } from './product-list.js';
import { readClearing, readIdentifiers } from '../readings.js';
import { productBody, type ProductBody, type ProductView } from './product.schemas.js';
import { ProductsService } from './products.service.js';

/** docs/catalog-rules.md#post-products: /products/ and what is under a product. */
@Controller('products')
@UseGuards(BearerGuard)
@RequiresScope('products')
export class ProductsController {
  constructor(
    private readonly products: ProductsService,
    private readonly settings: SandboxSettings,
  ) {}

  @Get()
  async list(@Req() request: Request): Promise<Page<ProductView>> {
    const page = pageRequest(request.originalUrl, this.settings.pageSize);
    const filters = productFilters(request.originalUrl);
    const { count, results } = await this.products.list(filters, this.locale(request), page);
    return pageOfResults(request, page, count, results);
  }

  /** Matched 200, created 201, accepted 202. */
  @Post()
  async upsert(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() body: unknown,
  ): Promise<ProductView | { background_task_id: number }> {
    const outcome = await this.products.upsert(this.body(body), this.locale(request));
    response.status({ matched: 200, created: 201, accepted: 202 }[outcome.kind]);
    return outcome.kind === 'accepted' ? { background_task_id: outcome.taskId } : outcome.product;
  }

  @Get(':id')
  async get(@Req() request: Request, @Param('id') id: string): Promise<ProductView> {
    return this.products.get(id, this.locale(request));
  }

  @Put(':id')
  async replace(
    @Req() request: Request,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ProductView> {
    return this.products.replaceOrUpdate(id, this.body(body), 'all', this.updateLocale(request));
  }

  @Patch(':id')
  async update(
    @Req() request: Request,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ProductView> {
    return this.products.replaceOrUpdate(id, this.body(body), 'named', this.updateLocale(request));
  }

  @Delete(':id')
  @HttpCode(204)
  async delete(@Param('id') id: string): Promise<void> {
    if (this.settings.readings.deletion === 'absent') throw methodNotAllowed('DELETE');
    await this.products.delete(id);
  }

  @Get(':id/variants')
  async listVariants(@Req() request: Request, @Param('id') id: string): Promise<Page<ProductView>> {
    const page = pageRequest(request.originalUrl, this.settings.pageSize);
    const { count, results } = await this.products.listVariants(id, this.locale(request), page);
    return pageOfResults(request, page, count, results);
  }

  /** Added 201, matched among the product's variants 200. */
  @Post(':id/variants')
  async upsertVariant(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ProductView> {
    if (this.settings.readings.variantsPath === 'read-only') throw methodNotAllowed('POST');
    const outcome = await this.products.upsertVariant(id, this.body(body), this.locale(request));
    response.status(outcome.created ? 201 : 200);
    return outcome.product;
  }

  private body(body: unknown): ProductBody {
    const { clearing, identifiers } = this.settings.readings;
    return parseOrRefuse(productBody, readIdentifiers(readClearing(body, clearing), identifiers));
  }

  private locale(request: Request): string {
    return requestLocale(request.originalUrl, this.settings.defaultLocale);
  }

  private updateLocale(request: Request): string {
    const { readings, defaultLocale } = this.settings;
    return readings.patchLocale === 'honoured' ? this.locale(request) : defaultLocale;
  }
}
