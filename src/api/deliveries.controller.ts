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
import { Describe } from './describe.js';
import {
  DeliveryOperations,
  deliveryPageSchema,
  deliveryQuerySchema,
  deliverySchema,
  type DeliveryDetail,
  type DeliveryQuery,
  type DeliverySummary,
} from '../operations/deliveries.js';
import { onlyOutcome } from './only-outcome.js';
import {
  idsSchema,
  rowOutcomeSchema,
  rowOutcomesSchema,
  type Page,
  type RowOutcome,
} from '../operations/paging.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';

/** The webhook inbox (docs/http.md). */
@Controller('api/v1/deliveries')
@UseGuards(AdminGuard)
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryOperations) {}

  @Describe({
    summary: 'The inbox',
    answer: { name: 'DeliveryPage', schema: deliveryPageSchema },
  })
  @Get()
  @Allow('viewer')
  list(@Query({ schema: deliveryQuerySchema }) query: DeliveryQuery): Promise<Page<DeliverySummary>> {
    return this.deliveries.list(query);
  }

  @Describe({
    summary: 'One delivery with its body',
    answer: { name: 'Delivery', schema: deliverySchema },
    errors: [404],
  })
  @Get(':id')
  @Allow('viewer')
  async show(@Param('id') id: string): Promise<DeliveryDetail> {
    const delivery = await this.deliveries.show(id);
    if (delivery === null) throw new NotFoundException(`no delivery ${id.slice(0, 100)}`);
    return delivery;
  }

  @Describe({
    body: 'Ids',
    summary: 'Interpret deliveries again',
    answer: { name: 'Outcomes', schema: rowOutcomesSchema },
  })
  @Post('replay')
  @Allow('admin')
  @Audited('delivery replay')
  @HttpCode(200)
  async replayMany(
    @Body({ schema: idsSchema }) { ids }: z.output<typeof idsSchema>,
  ): Promise<{ results: RowOutcome[] }> {
    return { results: await this.deliveries.replay(ids) };
  }

  @Describe({
    summary: 'Interpret a delivery again',
    answer: { name: 'Outcome', schema: rowOutcomeSchema },
    errors: [404],
  })
  @Post(':id/replay')
  @Allow('admin')
  @Audited('delivery replay')
  @HttpCode(202)
  async replay(@Param('id') id: string): Promise<RowOutcome> {
    return onlyOutcome(await this.deliveries.replay([id]));
  }
}
