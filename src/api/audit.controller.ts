import { Query } from '@nestjs/common';
import { ApiController, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import { AuditOperations, type AuditEntry } from '../operations/audit.js';
import { pageQuerySchema, type Page } from '../operations/paging.js';

/** The audit record. */
@ApiController('api/v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditOperations) {}

  @Describe('List audited changes', 'AuditPage')
  @Read()
  list(
    @Query({ schema: pageQuerySchema }) query: z.output<typeof pageQuerySchema>,
  ): Promise<Page<AuditEntry>> {
    return this.audit.list(query);
  }
}
