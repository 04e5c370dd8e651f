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
import { z } from 'zod';
import { AdminGuard } from './admin.guard.js';
import { onlyOutcome } from './only-outcome.js';
import { idsSchema, type Page, type RowOutcome } from '../operations/paging.js';
import {
  WriteBackOperations,
  writeBackQuerySchema,
  type Decision,
  type PresentedWriteBack,
  type WriteBackQuery,
} from '../operations/write-backs.js';
import { ZodPipe } from './zod.pipe.js';

const decisionSchema = z.enum(['approve', 'reject', 'revert']);

/** Review and undoing of what was, or will be, written (docs/http.md). */
@Controller('api/v1/write-backs')
@UseGuards(AdminGuard)
export class WriteBacksController {
  constructor(private readonly writeBacks: WriteBackOperations) {}

  @Get()
  list(@Query(new ZodPipe(writeBackQuerySchema)) query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
    return this.writeBacks.list(query);
  }

  @Get(':id')
  async show(@Param('id') id: string): Promise<PresentedWriteBack> {
    const writeBack = await this.writeBacks.show(id);
    if (writeBack === null) throw new NotFoundException(`no write-back ${id.slice(0, 100)}`);
    return writeBack;
  }

  @Post(':decision')
  @HttpCode(200)
  async decideMany(
    @Param('decision') decision: string,
    @Body(new ZodPipe(idsSchema)) { ids }: z.output<typeof idsSchema>,
  ): Promise<{ results: RowOutcome[] }> {
    return { results: await this.writeBacks.decide(ids, known(decision)) };
  }

  @Post(':id/:decision')
  @HttpCode(200)
  async decide(@Param('id') id: string, @Param('decision') decision: string): Promise<RowOutcome> {
    return onlyOutcome(await this.writeBacks.decide([id], known(decision)));
  }
}

function known(decision: string): Decision {
  const parsed = decisionSchema.safeParse(decision);
  if (!parsed.success) throw new NotFoundException('a write-back is approved, rejected or reverted');
  return parsed.data;
}
