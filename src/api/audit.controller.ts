import { Get, Query } from '@nestjs/common';
import { ApiController } from './api-routes.js';
import type { z } from 'zod';
import { AuditOperations, auditPageSchema, type AuditEntry } from '../operations/audit.js';
import { pageQuerySchema, type Page } from '../operations/paging.js';
import { Allow } from './allow.js';
import { Describe } from './describe.js';

/** The audit record. */
@ApiController('api/v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditOperations) {}

  @Describe({ summary: 'List audited changes', answer: { name: 'AuditPage', schema: auditPageSchema } })
  @Get()
  @Allow('viewer')
  list(
    @Query({ schema: pageQuerySchema }) query: z.output<typeof pageQuerySchema>,
  ): Promise<Page<AuditEntry>> {
    return this.audit.list(query);
  }
}
