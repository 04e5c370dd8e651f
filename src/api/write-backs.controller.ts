import { Body, Param, Query } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import { z } from 'zod';
import { onlyOutcome } from './only-outcome.js';
import { idsSchema, type Page, type RowOutcome } from '../operations/paging.js';
import { type PresentedWriteBack } from '../operations/present-write-back.js';
import { countApprovals } from '../operations/approval-summary.js';
import {
  WriteBackOperations,
  approvalSchema,
  approveManySchema,
  rejectManySchema,
  type approvalsSchema,
  editSchema,
  rejectionSchema,
  type Decision,
  type DecisionBy,
} from '../operations/write-backs.js';
import { writeBackQuerySchema, type WriteBackQuery } from '../operations/write-back-filter.js';
import { ActorName } from './allow.js';

type Ids = z.output<typeof idsSchema>;
type Rejection = z.output<typeof rejectionSchema>;

/** Review and undoing of what was, or will be, written (docs/http.md). */
@ApiController('api/v1/write-backs')
export class WriteBacksController {
  constructor(private readonly writeBacks: WriteBackOperations) {}

  @Describe('Write-backs', 'WriteBackPage')
  @Read()
  list(@Query({ schema: writeBackQuerySchema }) query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
    return this.writeBacks.list(query);
  }

  @Describe('One write-back', 'WriteBack', [404])
  @Read(':id')
  show(@Param('id') id: string): Promise<PresentedWriteBack> {
    return this.writeBacks.show(id);
  }

  @Describe(
    'Release for writing, several. What the merchant edited since and what a gate holds back is left and counted',
    'Approvals',
  )
  @Change('approve', 'reviewer', 'write-back approve')
  async approveMany(
    @Body({ schema: approveManySchema })
    { ids, ...permissions }: z.output<typeof approveManySchema>,
    @ActorName() actor: string,
  ): Promise<z.output<typeof approvalsSchema>> {
    const by = { actor, permissions };
    const results = await this.writeBacks.decide(ids, 'approve', by);
    return { results, ...countApprovals(results) };
  }

  @Describe('Reject permanently, several', 'Outcomes')
  @Change('reject', 'reviewer', 'write-back reject')
  rejectMany(
    @Body({ schema: rejectManySchema }) { ids, reason }: z.output<typeof rejectManySchema>,
    @ActorName() actor: string,
  ): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'reject', { actor, reason });
  }

  @Describe('Restore the before-image where the store still holds our value, several', 'Outcomes')
  @Change('revert', 'reviewer', 'write-back revert')
  revertMany(
    @Body({ schema: idsSchema }) { ids }: Ids,
    @ActorName() actor: string,
  ): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'revert', { actor });
  }

  @Describe('Release for writing', 'Outcome', [404, 409])
  @Change(':id/approve', 'reviewer', 'write-back approve')
  async approve(
    @Param('id') id: string,
    @Body({ schema: approvalSchema }) { version }: z.output<typeof approvalSchema>,
    @ActorName() actor: string,
  ): Promise<RowOutcome> {
    return this.#decide(id, 'approve', { actor, version });
  }

  @Describe('Reject permanently', 'Outcome', [404, 409])
  @Change(':id/reject', 'reviewer', 'write-back reject')
  reject(
    @Param('id') id: string,
    @Body({ schema: rejectionSchema }) { reason }: Rejection,
    @ActorName() actor: string,
  ): Promise<RowOutcome> {
    return this.#decide(id, 'reject', { actor, reason });
  }

  @Describe('Restore the before-image where the store still holds our value', 'Outcome', [404, 409])
  @Change(':id/revert', 'reviewer', 'write-back revert')
  revert(@Param('id') id: string, @ActorName() actor: string): Promise<RowOutcome> {
    return this.#decide(id, 'revert', { actor });
  }

  @Describe('Take an approval or a rejection back, while nothing is written', 'Outcome', [404, 409])
  @Change(':id/undo', 'reviewer', 'write-back undo')
  undo(@Param('id') id: string, @ActorName() actor: string): Promise<RowOutcome> {
    return this.#decide(id, 'undo', { actor });
  }

  @Describe('Apply the texts of a reverted write-back again, as a new write-back', 'Outcome', [404, 409])
  @Change(':id/reapply', 'reviewer', 'write-back reapply')
  reapply(@Param('id') id: string, @ActorName() actor: string): Promise<RowOutcome> {
    return this.#decide(id, 'reapply', { actor });
  }

  @Describe(
    'Replace the text of one field before the approval; what came stays in the row',
    'WriteBack',
    [404, 409],
  )
  @Change(':id/edit', 'reviewer', 'write-back edit')
  edit(
    @Param('id') id: string,
    @Body({ schema: editSchema }) edit: z.output<typeof editSchema>,
    @ActorName() actor: string,
  ): Promise<PresentedWriteBack> {
    return this.writeBacks.edit(id, edit, { actor });
  }

  async #decideMany(
    ids: readonly string[],
    decision: Decision,
    by: DecisionBy,
  ): Promise<{ results: RowOutcome[] }> {
    return { results: await this.writeBacks.decide(ids, decision, by) };
  }

  async #decide(id: string, decision: Decision, by: DecisionBy): Promise<RowOutcome> {
    return onlyOutcome(await this.writeBacks.decide([id], decision, by));
  }
}
