import { Body, Param, Query } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import {
  BulkOperations,
  bulkRequestSchema,
  type BulkRequest,
  type PresentedBulkChange,
} from '../operations/bulk-changes.js';
import { pageQuerySchema, type Page } from '../operations/paging.js';
import { ActorName } from './allow.js';

/** Changes of all write-backs that a filter selects (docs/http.md). */
@ApiController('api/v1/write-backs/bulk')
export class BulkChangesController {
  constructor(private readonly changes: BulkOperations) {}

  @Describe('Bulk changes', 'BulkChangePage')
  @Read()
  list(
    @Query({ schema: pageQuerySchema }) query: z.output<typeof pageQuerySchema>,
  ): Promise<Page<PresentedBulkChange>> {
    return this.changes.list(query);
  }

  @Describe(
    'Approve, reject, revert or apply again all that a filter selects; of a revert also as a dry run',
    'BulkChange',
  )
  @Change('', 'reviewer', 'write-back bulk {action}', 202)
  request(
    @Body({ schema: bulkRequestSchema }) body: BulkRequest,
    @ActorName() actor: string,
  ): Promise<PresentedBulkChange> {
    return this.changes.request(body, actor);
  }

  @Describe('One bulk change, with its progress', 'BulkChange', [404])
  @Read(':id')
  show(@Param('id') id: string): Promise<PresentedBulkChange> {
    return this.changes.show(id);
  }

  @Describe('Stop a bulk change; what it did so far stays', 'BulkChange', [404, 409])
  @Change(':id/cancel', 'reviewer', 'write-back bulk cancel')
  cancel(@Param('id') id: string, @ActorName() actor: string): Promise<PresentedBulkChange> {
    return this.changes.cancel(id, actor);
  }
}
