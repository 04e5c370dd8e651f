import { Body, Get, Param, Query } from '@nestjs/common';
import { ApiController, Change } from './api-routes.js';
import { z } from 'zod';
import { Describe } from './describe.js';
import { onlyOutcome } from './only-outcome.js';
import {
  idsSchema,
  rowOutcomeSchema,
  rowOutcomesSchema,
  type Page,
  type RowOutcome,
} from '../operations/paging.js';
import {
  writeBackPageSchema,
  writeBackSchema,
  type PresentedWriteBack,
} from '../operations/present-write-back.js';
import { countApprovals } from '../operations/approval-summary.js';
import {
  WriteBackOperations,
  approvalSchema,
  editSchema,
  permissionsSchema,
  rejectionSchema,
  type Decision,
  type DecisionBy,
} from '../operations/write-backs.js';
import { writeBackQuerySchema, type WriteBackQuery } from '../operations/write-back-filter.js';
import { ActorName, Allow } from './allow.js';

const approveManySchema = idsSchema.extend(permissionsSchema.shape);
const approvalsSchema = rowOutcomesSchema.extend({
  approved: z.int(),
  leftEdited: z.int().describe('left, in whole or in part, because the merchant edited them'),
  leftGated: z.int().describe('left because a gate holds them back'),
  refused: z.int(),
});
const rejectManySchema = idsSchema.extend(rejectionSchema.shape);

type Ids = z.output<typeof idsSchema>;
type Rejection = z.output<typeof rejectionSchema>;

const OUTCOME = { name: 'Outcome', schema: rowOutcomeSchema };
const OUTCOMES = { name: 'Outcomes', schema: rowOutcomesSchema };

/** Review and undoing of what was, or will be, written (docs/http.md). */
@ApiController('api/v1/write-backs')
export class WriteBacksController {
  constructor(private readonly writeBacks: WriteBackOperations) {}

  @Describe({
    summary: 'Write-backs',
    answer: { name: 'WriteBackPage', schema: writeBackPageSchema },
  })
  @Get()
  @Allow('viewer')
  list(@Query({ schema: writeBackQuerySchema }) query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
    return this.writeBacks.list(query);
  }

  @Describe({
    summary: 'One write-back',
    answer: { name: 'WriteBack', schema: writeBackSchema },
    errors: [404],
  })
  @Get(':id')
  @Allow('viewer')
  show(@Param('id') id: string): Promise<PresentedWriteBack> {
    return this.writeBacks.show(id);
  }

  @Describe({
    body: 'Approval',
    summary:
      'Release for writing, several. What the merchant edited since and what a gate holds back is left and counted',
    answer: { name: 'Approvals', schema: approvalsSchema },
  })
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

  @Describe({ body: 'Rejections', summary: 'Reject permanently, several', answer: OUTCOMES })
  @Change('reject', 'reviewer', 'write-back reject')
  rejectMany(
    @Body({ schema: rejectManySchema }) { ids, reason }: z.output<typeof rejectManySchema>,
    @ActorName() actor: string,
  ): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'reject', { actor, reason });
  }

  @Describe({
    body: 'Ids',
    summary: 'Restore the before-image where the store still holds our value, several',
    answer: OUTCOMES,
  })
  @Change('revert', 'reviewer', 'write-back revert')
  revertMany(
    @Body({ schema: idsSchema }) { ids }: Ids,
    @ActorName() actor: string,
  ): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'revert', { actor });
  }

  @Describe({ body: 'VersionSeen', summary: 'Release for writing', answer: OUTCOME, errors: [404, 409] })
  @Change(':id/approve', 'reviewer', 'write-back approve')
  async approve(
    @Param('id') id: string,
    @Body({ schema: approvalSchema }) { version }: z.output<typeof approvalSchema>,
    @ActorName() actor: string,
  ): Promise<RowOutcome> {
    return this.#decide(id, 'approve', { actor, version });
  }

  @Describe({ body: 'Rejection', summary: 'Reject permanently', answer: OUTCOME, errors: [404, 409] })
  @Change(':id/reject', 'reviewer', 'write-back reject')
  reject(
    @Param('id') id: string,
    @Body({ schema: rejectionSchema }) { reason }: Rejection,
    @ActorName() actor: string,
  ): Promise<RowOutcome> {
    return this.#decide(id, 'reject', { actor, reason });
  }

  @Describe({
    summary: 'Restore the before-image where the store still holds our value',
    answer: OUTCOME,
    errors: [404, 409],
  })
  @Change(':id/revert', 'reviewer', 'write-back revert')
  revert(@Param('id') id: string, @ActorName() actor: string): Promise<RowOutcome> {
    return this.#decide(id, 'revert', { actor });
  }

  @Describe({
    summary: 'Take an approval or a rejection back, while nothing is written',
    answer: OUTCOME,
    errors: [404, 409],
  })
  @Change(':id/undo', 'reviewer', 'write-back undo')
  undo(@Param('id') id: string, @ActorName() actor: string): Promise<RowOutcome> {
    return this.#decide(id, 'undo', { actor });
  }

  @Describe({
    summary: 'Apply the texts of a reverted write-back again, as a new write-back',
    answer: OUTCOME,
    errors: [404, 409],
  })
  @Change(':id/reapply', 'reviewer', 'write-back reapply')
  reapply(@Param('id') id: string, @ActorName() actor: string): Promise<RowOutcome> {
    return this.#decide(id, 'reapply', { actor });
  }

  @Describe({
    body: 'Edit',
    summary: 'Replace the text of one field before the approval; what came stays in the row',
    answer: { name: 'WriteBack', schema: writeBackSchema },
    errors: [404, 409],
  })
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
