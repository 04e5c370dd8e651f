import { Controller, Get, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { BUILT_IN, ConfigSource } from '../../config/index.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { formQuery, searchSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { settingsPage } from '../views/settings.js';

const querySchema = formQuery({ search: searchSchema, all: z.literal('1').optional() });
/** Hundreds of stores have tens of thousands of settings. */
const SHOWN = 500;

@Controller('settings')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class SettingsPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly source: ConfigSource,
  ) {}

  @Get()
  @Allow('admin')
  show(
    @Query({ schema: querySchema }) { search, all }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): string {
    const wanted = search?.toLowerCase() ?? '';
    const matching = this.source
      .settings()
      .filter(({ origin }) => all === '1' || wanted !== '' || origin !== BUILT_IN)
      .filter(({ key, value, origin }) =>
        [key, value, origin].some((text) => text.toLowerCase().includes(wanted)),
      )
      .toSorted((one, other) => Number(one.origin === BUILT_IN) - Number(other.origin === BUILT_IN));
    return settingsPage(visitorOf(this.sessions, request, response), {
      settings: matching.slice(0, SHOWN),
      search,
      all: all === '1',
      more: Math.max(0, matching.length - SHOWN),
    });
  }
}
