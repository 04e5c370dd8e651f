import { Controller, Get, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { SearchOperations } from '../../operations/search.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { formQuery, searchSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { onlyResult, searchPage } from '../views/search.js';

const querySchema = formQuery({ q: searchSchema });

/** The search of the header. */
@Controller('search')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class SearchPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly search: SearchOperations,
  ) {}

  /** Leads to the only result at once. */
  @Get()
  @Allow('viewer')
  async show(
    @Query({ schema: querySchema }) { q: text = '' }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const result = await this.search.search(text);
    const only = onlyResult(result);
    if (only === null) response.send(searchPage(visitorOf(this.sessions, request, response), text, result));
    else response.redirect(303, only);
  }
}
