import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from './admin.guard.js';
import {
  DeliveryOperations,
  deliveryQuerySchema,
  type DeliveryDetail,
  type DeliveryQuery,
  type DeliverySummary,
} from '../operations/deliveries.js';
import { onlyOutcome } from './only-outcome.js';
import { idsSchema, type Page, type RowOutcome } from '../operations/paging.js';
import { ZodPipe } from './zod.pipe.js';

/** The webhook inbox (docs/http.md). */
@Controller('api/v1/deliveries')
@UseGuards(AdminGuard)
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryOperations) {}

  @Get()
  list(@Query(new ZodPipe(deliveryQuerySchema)) query: DeliveryQuery): Promise<Page<DeliverySummary>> {
    return this.deliveries.list(query);
  }

  @Get(':id')
  async show(@Param('id') id: string): Promise<DeliveryDetail> {
    const delivery = await this.deliveries.show(id);
    if (delivery === null) throw new NotFoundException(`no delivery ${id.slice(0, 100)}`);
    return delivery;
  }

  @Post('replay')
  @HttpCode(200)
  async replayMany(
    @Body(new ZodPipe(idsSchema)) { ids }: z.output<typeof idsSchema>,
  ): Promise<{ results: RowOutcome[] }> {
    return { results: await this.deliveries.replay(ids) };
  }

  @Post(':id/replay')
  @HttpCode(202)
  async replay(@Param('id') id: string): Promise<RowOutcome> {
    return onlyOutcome(await this.deliveries.replay([id]));
  }
}
