import { Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { OverviewReader } from '../../operations/overview.js';
import { formQuery, offsetSchema, searchSchema } from '../page-query.js';
import { Pages } from '../page-routes.js';
import { ThisVisitor, type Visitor } from '../visit.js';
import { overviewFragment, overviewPage } from '../views/overview.js';

const querySchema = formQuery({
  offset: offsetSchema,
  search: searchSchema,
  show: z.enum(['attention']).optional(),
});
type OverviewForm = z.output<typeof querySchema>;

/** The state of all stores and workspaces on one page. */
@Pages()
export class OverviewPages {
  constructor(private readonly overview: OverviewReader) {}

  @Get()
  @Allow('viewer')
  async show(
    @Query({ schema: querySchema }) query: OverviewForm,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    return overviewPage(visitor, await this.#read(query), query);
  }

  /** Only the changing part of the page, for its script. */
  @Get('overview/live')
  @Allow('viewer')
  async live(@Query({ schema: querySchema }) query: OverviewForm): Promise<string> {
    return overviewFragment(await this.#read(query), query).text;
  }

  #read({ offset, search, show }: OverviewForm) {
    return this.overview.read({ offset, search, onlyAttention: show === 'attention' });
  }
}
