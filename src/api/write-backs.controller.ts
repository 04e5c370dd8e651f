import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { AdminGuard } from './admin.guard.js';
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
} from '../operations/write-backs.js';
import { writeBackQuerySchema, type WriteBackQuery } from '../operations/write-back-filter.js';
import { actorNameOf, Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';

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
@Controller('api/v1/write-backs')
@UseGuards(AdminGuard)
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
  async show(@Param('id') id: string): Promise<PresentedWriteBack> {
    const writeBack = await this.writeBacks.show(id);
    if (writeBack === null) throw new NotFoundException(`no write-back ${id.slice(0, 100)}`);
    return writeBack;
  }

  @Describe({
    body: 'Approval',
    summary:
      'Release for writing, several. What the merchant edited since and what a gate holds back is left and counted',
    answer: { name: 'Approvals', schema: approvalsSchema },
  })
  @Post('approve')
  @Allow('reviewer')
  @Audited('write-back approve')
  @HttpCode(200)
  async approveMany(
    @Body({ schema: approveManySchema })
    { ids, ...permissions }: z.output<typeof approveManySchema>,
    @Req() request: Request,
  ): Promise<z.output<typeof approvalsSchema>> {
    const by = { actor: actorNameOf(request), permissions };
    const results = await this.writeBacks.decide(ids, 'approve', by);
    return { results, ...countApprovals(results) };
  }

  @Describe({ body: 'Rejections', summary: 'Reject permanently, several', answer: OUTCOMES })
  @Post('reject')
  @Allow('reviewer')
  @Audited('write-back reject')
  @HttpCode(200)
  rejectMany(
    @Body({ schema: rejectManySchema }) { ids, reason }: z.output<typeof rejectManySchema>,
    @Req() request: Request,
  ): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'reject', request, reason);
  }

  @Describe({
    body: 'Ids',
    summary: 'Restore the before-image where the store still holds our value, several',
    answer: OUTCOMES,
  })
  @Post('revert')
  @Allow('reviewer')
  @Audited('write-back revert')
  @HttpCode(200)
  revertMany(
    @Body({ schema: idsSchema }) { ids }: Ids,
    @Req() request: Request,
  ): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'revert', request);
  }

  @Describe({ body: 'VersionSeen', summary: 'Release for writing', answer: OUTCOME, errors: [404, 409] })
  @Post(':id/approve')
  @Allow('reviewer')
  @Audited('write-back approve')
  @HttpCode(200)
  async approve(
    @Param('id') id: string,
    @Body({ schema: approvalSchema }) { version }: z.output<typeof approvalSchema>,
    @Req() request: Request,
  ): Promise<RowOutcome> {
    const by = { actor: actorNameOf(request), version };
    return onlyOutcome(await this.writeBacks.decide([id], 'approve', by));
  }

  @Describe({ body: 'Rejection', summary: 'Reject permanently', answer: OUTCOME, errors: [404, 409] })
  @Post(':id/reject')
  @Allow('reviewer')
  @Audited('write-back reject')
  @HttpCode(200)
  reject(
    @Param('id') id: string,
    @Body({ schema: rejectionSchema }) { reason }: Rejection,
    @Req() request: Request,
  ): Promise<RowOutcome> {
    return this.#decide(id, 'reject', request, reason);
  }

  @Describe({
    summary: 'Restore the before-image where the store still holds our value',
    answer: OUTCOME,
    errors: [404, 409],
  })
  @Post(':id/revert')
  @Allow('reviewer')
  @Audited('write-back revert')
  @HttpCode(200)
  revert(@Param('id') id: string, @Req() request: Request): Promise<RowOutcome> {
    return this.#decide(id, 'revert', request);
  }

  @Describe({
    summary: 'Take an approval or a rejection back, while nothing is written',
    answer: OUTCOME,
    errors: [404, 409],
  })
  @Post(':id/undo')
  @Allow('reviewer')
  @Audited('write-back undo')
  @HttpCode(200)
  undo(@Param('id') id: string, @Req() request: Request): Promise<RowOutcome> {
    return this.#decide(id, 'undo', request);
  }

  @Describe({
    summary: 'Apply the texts of a reverted write-back again, as a new write-back',
    answer: OUTCOME,
    errors: [404, 409],
  })
  @Post(':id/reapply')
  @Allow('reviewer')
  @Audited('write-back reapply')
  @HttpCode(200)
  reapply(@Param('id') id: string, @Req() request: Request): Promise<RowOutcome> {
    return this.#decide(id, 'reapply', request);
  }

  @Describe({
    body: 'Edit',
    summary: 'Replace the text of one field before the approval; what came stays in the row',
    answer: { name: 'WriteBack', schema: writeBackSchema },
    errors: [404, 409],
  })
  @Post(':id/edit')
  @Allow('reviewer')
  @Audited('write-back edit')
  @HttpCode(200)
  edit(
    @Param('id') id: string,
    @Body({ schema: editSchema }) edit: z.output<typeof editSchema>,
    @Req() request: Request,
  ): Promise<PresentedWriteBack> {
    return this.writeBacks.edit(id, edit, { actor: actorNameOf(request) });
  }

  async #decideMany(
    ids: readonly string[],
    decision: Decision,
    request: Request,
    reason?: string,
  ): Promise<{ results: RowOutcome[] }> {
    const by = { actor: actorNameOf(request), reason };
    return { results: await this.writeBacks.decide(ids, decision, by) };
  }

  async #decide(id: string, decision: Decision, request: Request, reason?: string): Promise<RowOutcome> {
    const { results } = await this.#decideMany([id], decision, request, reason);
    return onlyOutcome(results);
  }
}
