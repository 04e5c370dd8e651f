import { Query } from '@nestjs/common';
import { z } from 'zod';
import { OverviewReader } from '../../operations/overview.js';
import { formQuery, offsetSchema, searchSchema } from '../page-query.js';
import { Page, Pages } from '../page-routes.js';
import { ThisVisitor, type Visitor } from '../visit.js';
import { overviewPage } from '../views/overview.js';

const querySchema = formQuery({
  offset: offsetSchema,
  search: searchSchema,
  show: z.enum(['attention']).optional(),
});

/** The state of all stores and workspaces on one page. */
@Pages()
export class OverviewPages {
  constructor(private readonly overview: OverviewReader) {}

  @Page()
  async show(
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { offset, search, show } = query;
    const overview = await this.overview.read({ offset, search, onlyAttention: show === 'attention' });
    return overviewPage(visitor, overview, query);
  }
}
