import { Body, Param, Query } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import {
  DeliveryOperations,
  deliveryQuerySchema,
  type DeliveryDetail,
  type DeliveryQuery,
  type DeliverySummary,
} from '../operations/deliveries.js';
import { onlyOutcome } from './only-outcome.js';
import { idsSchema, type Page, type RowOutcome } from '../operations/paging.js';

/** The webhook inbox (docs/http.md). */
@ApiController('api/v1/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryOperations) {}

  @Describe('The inbox', 'DeliveryPage')
  @Read()
  list(@Query({ schema: deliveryQuerySchema }) query: DeliveryQuery): Promise<Page<DeliverySummary>> {
    return this.deliveries.list(query);
  }

  @Describe('One delivery with its body', 'Delivery', [404])
  @Read(':id')
  show(@Param('id') id: string): Promise<DeliveryDetail> {
    return this.deliveries.show(id);
  }

  @Describe('Interpret deliveries again', 'Outcomes')
  @Change('replay', 'admin', 'delivery replay')
  async replayMany(
    @Body({ schema: idsSchema }) { ids }: z.output<typeof idsSchema>,
  ): Promise<{ results: RowOutcome[] }> {
    return { results: await this.deliveries.replay(ids) };
  }

  @Describe('Interpret a delivery again', 'Outcome', [404])
  @Change(':id/replay', 'admin', 'delivery replay', 202)
  async replay(@Param('id') id: string): Promise<RowOutcome> {
    return onlyOutcome(await this.deliveries.replay([id]));
  }
}
