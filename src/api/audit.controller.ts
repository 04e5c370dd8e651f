import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { AuditOperations, auditPageSchema, auditQuerySchema, type AuditEntry } from '../operations/audit.js';
import type { Page } from '../operations/paging.js';
import { AdminGuard } from './admin.guard.js';
import { Allow } from './allow.js';
import { Describe } from './describe.js';

/** The audit record. */
@Controller('api/v1/audit')
@UseGuards(AdminGuard)
export class AuditController {
  constructor(private readonly audit: AuditOperations) {}

  @Describe({ summary: 'List audited changes', answer: { name: 'AuditPage', schema: auditPageSchema } })
  @Get()
  @Allow('viewer')
  list(
    @Query({ schema: auditQuerySchema }) query: z.output<typeof auditQuerySchema>,
  ): Promise<Page<AuditEntry>> {
    return this.audit.list(query);
  }
}
