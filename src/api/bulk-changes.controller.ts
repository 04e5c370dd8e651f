import { Body, Get, Param, Query } from '@nestjs/common';
import { ApiController, Change } from './api-routes.js';
import type { z } from 'zod';
import {
  BulkOperations,
  bulkChangePageSchema,
  bulkChangeSchema,
  bulkRequestSchema,
  type BulkRequest,
  type PresentedBulkChange,
} from '../operations/bulk-changes.js';
import { pageQuerySchema, type Page } from '../operations/paging.js';
import { ActorName, Allow } from './allow.js';
import { Describe } from './describe.js';

const CHANGE = { name: 'BulkChange', schema: bulkChangeSchema };

/** Changes of all write-backs that a filter selects (docs/http.md). */
@ApiController('api/v1/write-backs/bulk')
export class BulkChangesController {
  constructor(private readonly changes: BulkOperations) {}

  @Describe({ summary: 'Bulk changes', answer: { name: 'BulkChangePage', schema: bulkChangePageSchema } })
  @Get()
  @Allow('viewer')
  list(
    @Query({ schema: pageQuerySchema }) query: z.output<typeof pageQuerySchema>,
  ): Promise<Page<PresentedBulkChange>> {
    return this.changes.list(query);
  }

  @Describe({
    body: 'BulkRequest',
    summary:
      'Approve, reject, revert or apply again all that a filter selects; of a revert also as a dry run',
    answer: CHANGE,
  })
  @Change('', 'reviewer', 'write-back bulk {action}', 202)
  request(
    @Body({ schema: bulkRequestSchema }) body: BulkRequest,
    @ActorName() actor: string,
  ): Promise<PresentedBulkChange> {
    return this.changes.request(body, actor);
  }

  @Describe({ summary: 'One bulk change, with its progress', answer: CHANGE, errors: [404] })
  @Get(':id')
  @Allow('viewer')
  show(@Param('id') id: string): Promise<PresentedBulkChange> {
    return this.changes.show(id);
  }

  @Describe({ summary: 'Stop a bulk change; what it did so far stays', answer: CHANGE, errors: [404, 409] })
  @Change(':id/cancel', 'reviewer', 'write-back bulk cancel')
  cancel(@Param('id') id: string, @ActorName() actor: string): Promise<PresentedBulkChange> {
    return this.changes.cancel(id, actor);
  }
}
