import { Controller, Get, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { OverviewReader } from '../../operations/overview.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { formQuery, offsetSchema, searchSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { overviewFragment, overviewPage } from '../views/overview.js';

const querySchema = formQuery({
  offset: offsetSchema,
  search: searchSchema,
  show: z.enum(['attention']).optional(),
});
type OverviewForm = z.output<typeof querySchema>;

/** The state of all stores and workspaces on one page. */
@Controller()
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class OverviewPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly overview: OverviewReader,
  ) {}

  @Get()
  @Allow('viewer')
  async show(
    @Query({ schema: querySchema }) query: OverviewForm,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return overviewPage(visitorOf(this.sessions, request, response), await this.#read(query), query);
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
