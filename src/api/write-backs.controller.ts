import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import type { z } from 'zod';
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
  WriteBackOperations,
  writeBackPageSchema,
  writeBackQuerySchema,
  writeBackSchema,
  type Decision,
  type PresentedWriteBack,
  type WriteBackQuery,
} from '../operations/write-backs.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';
import { ZodPipe } from './zod.pipe.js';

type Ids = z.output<typeof idsSchema>;

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
  list(@Query(new ZodPipe(writeBackQuerySchema)) query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
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

  @Describe({ summary: 'Release for writing, several', answer: OUTCOMES })
  @Post('approve')
  @Allow('reviewer')
  @Audited('write-back approve')
  @HttpCode(200)
  approveMany(@Body(new ZodPipe(idsSchema, 'Ids')) { ids }: Ids): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'approve');
  }

  @Describe({ summary: 'Reject permanently, several', answer: OUTCOMES })
  @Post('reject')
  @Allow('reviewer')
  @Audited('write-back reject')
  @HttpCode(200)
  rejectMany(@Body(new ZodPipe(idsSchema, 'Ids')) { ids }: Ids): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'reject');
  }

  @Describe({
    summary: 'Restore the before-image where the store still holds our value, several',
    answer: OUTCOMES,
  })
  @Post('revert')
  @Allow('reviewer')
  @Audited('write-back revert')
  @HttpCode(200)
  revertMany(@Body(new ZodPipe(idsSchema, 'Ids')) { ids }: Ids): Promise<{ results: RowOutcome[] }> {
    return this.#decideMany(ids, 'revert');
  }

  @Describe({ summary: 'Release for writing', answer: OUTCOME, errors: [404, 409] })
  @Post(':id/approve')
  @Allow('reviewer')
  @Audited('write-back approve')
  @HttpCode(200)
  approve(@Param('id') id: string): Promise<RowOutcome> {
    return this.#decide(id, 'approve');
  }

  @Describe({ summary: 'Reject permanently', answer: OUTCOME, errors: [404, 409] })
  @Post(':id/reject')
  @Allow('reviewer')
  @Audited('write-back reject')
  @HttpCode(200)
  reject(@Param('id') id: string): Promise<RowOutcome> {
    return this.#decide(id, 'reject');
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
  revert(@Param('id') id: string): Promise<RowOutcome> {
    return this.#decide(id, 'revert');
  }

  async #decideMany(ids: readonly string[], decision: Decision): Promise<{ results: RowOutcome[] }> {
    return { results: await this.writeBacks.decide(ids, decision) };
  }

  async #decide(id: string, decision: Decision): Promise<RowOutcome> {
    return onlyOutcome(await this.writeBacks.decide([id], decision));
  }
}
