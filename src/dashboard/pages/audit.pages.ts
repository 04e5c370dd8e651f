import { Controller, Get, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Allow } from '../../api/allow.js';
import { AuditOperations } from '../../operations/audit.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { formQuery, offsetSchema, pageAt, searchSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { AUDIT_OUTCOMES, auditPage } from '../views/audit.js';

const querySchema = formQuery({
  offset: offsetSchema,
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  actor: searchSchema,
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  search: searchSchema,
});

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
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { outcome, actor, from, to, search } = query;
    const given = { outcome, actor, from, to, search };
    const [entries, counts] = await Promise.all([
      this.audit.list(pageAt(query.offset), given),
      this.audit.counts(given),
    ]);
    return auditPage(visitorOf(this.sessions, request, response), entries, { given, counts });
  }
}
