import {
  Body,
  Controller,
  Get,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { DeliveryOperations } from '../../operations/deliveries.js';
import { Connections } from '../../connections/connections.js';
import { Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { noticeOf } from '../notice.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { datedListShape, formQuery, pageAt, severalSchema } from '../page-query.js';
import { ownPath, seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { deliveriesPage, DELIVERY_STATES, deliveryPage } from '../views/deliveries.js';

const querySchema = formQuery(datedListShape(DELIVERY_STATES));
const formSchema = z.looseObject({ id: severalSchema, back: z.string().optional() });

@Controller('deliveries')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class DeliveryPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly deliveries: DeliveryOperations,
    private readonly connections: Connections,
  ) {}

  @Get()
  @Allow('viewer')
  async list(
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { offset, state, store, from, to, search } = query;
    const given = { state, store, from, to, search };
    const [deliveries, counts] = await Promise.all([
      this.deliveries.list({ ...pageAt(offset), ...given }),
      this.deliveries.counts(given),
    ]);
    const list = { given, counts, stores: this.connections.stores.map(({ key }) => key) };
    return deliveriesPage(visitorOf(this.sessions, request, response), deliveries, list);
  }

  @Get(':id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const delivery = await this.deliveries.show(id);
    if (delivery === null) throw new NotFoundException(`No delivery found for “${id.slice(0, 100)}”.`);
    return deliveryPage(visitorOf(this.sessions, request, response), delivery);
  }

  @Post('replay')
  @Allow('admin')
  @Audited('delivery replay')
  async replay(
    @Body({ schema: formSchema }) { id, back }: z.output<typeof formSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const notice =
      id.length === 0 ? 'Select at least one delivery.' : noticeOf(await this.deliveries.replay(id));
    await seeOther(this.sessions, request, response, ownPath(back ?? '/deliveries'), notice);
  }
}
