import { Query } from '@nestjs/common';
import { z } from 'zod';
import { AuditOperations } from '../../operations/audit.js';
import { formQuery, offsetSchema, pageAt, searchSchema } from '../page-query.js';
import { Page, Pages } from '../page-routes.js';
import { ThisVisitor, type Visitor } from '../visit.js';
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
@Pages('audit')
export class AuditPages {
  constructor(private readonly audit: AuditOperations) {}

  @Page()
  async list(
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { outcome, actor, from, to, search } = query;
    const given = { outcome, actor, from, to, search };
    const [entries, counts] = await Promise.all([
      this.audit.list(pageAt(query.offset), given),
      this.audit.counts(given),
    ]);
    return auditPage(visitor, entries, { given, counts });
  }
}
