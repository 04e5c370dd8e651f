import { Body, Get, Param, Query } from '@nestjs/common';
import { ApiController, Change } from './api-routes.js';
import type { z } from 'zod';
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

/** The webhook inbox (docs/http.md). */
@ApiController('api/v1/deliveries')
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
  show(@Param('id') id: string): Promise<DeliveryDetail> {
    return this.deliveries.show(id);
  }

  @Describe({
    body: 'Ids',
    summary: 'Interpret deliveries again',
    answer: { name: 'Outcomes', schema: rowOutcomesSchema },
  })
  @Change('replay', 'admin', 'delivery replay')
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
  @Change(':id/replay', 'admin', 'delivery replay', 202)
  async replay(@Param('id') id: string): Promise<RowOutcome> {
    return onlyOutcome(await this.deliveries.replay([id]));
  }
}
