import { Controller, Get, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { AuditOperations } from '../../operations/audit.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt, pageListSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { auditPage } from '../views/audit.js';

const querySchema = pageListSchema([] as const);

/** The page of the audit record. */
@Controller('audit')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class AuditPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly audit: AuditOperations,
  ) {}

  @Get()
  @Allow('viewer')
  async list(
    @Query(new ZodPipe(querySchema)) { offset }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return auditPage(visitorOf(this.sessions, request, response), await this.audit.list(pageAt(offset)));
  }
}
