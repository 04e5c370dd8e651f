import { Body, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { DELIVERY_STATES, DeliveryOperations } from '../../operations/deliveries.js';
import { Connections } from '../../connections/connections.js';
import { noticeOf } from '../notice.js';
import { datedListShape, formQuery, pageAt, severalSchema } from '../page-query.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ownPath, ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { deliveriesPage, deliveryPage } from '../views/deliveries.js';

const querySchema = formQuery(datedListShape(DELIVERY_STATES));
const formSchema = z.looseObject({ id: severalSchema, back: z.string().optional() });

@Pages('deliveries')
export class DeliveryPages {
  constructor(
    private readonly deliveries: DeliveryOperations,
    private readonly connections: Connections,
  ) {}

  @Page()
  async list(
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { offset, ...given } = query;
    const [deliveries, counts] = await Promise.all([
      this.deliveries.list({ ...pageAt(offset), ...given }),
      this.deliveries.counts(given),
    ]);
    const list = { given, counts, stores: this.connections.storeKeys };
    return deliveriesPage(visitor, deliveries, list);
  }

  @Page(':id')
  async show(@Param('id') id: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    return deliveryPage(visitor, await this.deliveries.show(id));
  }

  @Form('replay', 'admin', 'delivery replay')
  async replay(
    @Body({ schema: formSchema }) { id, back }: z.output<typeof formSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const notice =
      id.length === 0 ? 'Select at least one delivery.' : noticeOf(await this.deliveries.replay(id));
    return visit.goTo(ownPath(back ?? '/deliveries'), notice);
  }
}
