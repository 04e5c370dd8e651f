import {
  Body,
  Controller,
  Get,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { actorNameOf, Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { errorLine, isCoded } from '../../domain/errors.js';
import { editSchema, WriteBackOperations, type Decision } from '../../operations/write-backs.js';
import { Database } from '../../persistence/database.js';
import type { WriteBackEntity } from '../../persistence/entities/index.js';
import { WriteBackRepository } from '../../persistence/write-back.repository.js';
import { isEditable } from '../../planner/edited-value.js';
import { GenerateAgain } from '../generate-again.js';
import { messages } from '../messages.js';
import { noticeOf } from '../notice.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { productLabels } from '../../persistence/product-labels.js';
import { ownPath, seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { ASKED, confirmPage, editPage } from '../views/write-back-actions.js';
import { writeBackPath } from '../views/write-back-parts.js';

const fieldSchema = z.looseObject({ field: z.string().max(300), back: z.string().max(1000).optional() });
const askedSchema = z.enum(ASKED);
const backSchema = z.looseObject({ back: z.string().max(1000).optional() });
const editFormSchema = backSchema.extend(editSchema.shape);

/** The other actions of a person on one write-back: edit, undo, revert, apply again, generate again. */
@Controller('write-backs')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class WriteBackActionPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly operations: WriteBackOperations,
    private readonly again: GenerateAgain,
    private readonly writeBacks: WriteBackRepository,
    private readonly db: Database,
  ) {}

  @Get(':id/edit')
  @Allow('viewer')
  async edit(
    @Param('id') id: string,
    @Query(new ZodPipe(fieldSchema)) { field, back }: z.output<typeof fieldSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const row = await this.#row(id);
    const value = row.intended.find((each) => each.target === field);
    if (value === undefined || !isEditable(value)) throw new NotFoundException(messages.nothingToRender);
    const label = await this.#label(row);
    const edited = { id: row.id, value, label, back: pageAfter(row.id, back) };
    return editPage(visitorOf(this.sessions, request, response), edited);
  }

  @Post(':id/edit')
  @Allow('reviewer')
  @Audited('write-back edit')
  async save(
    @Param('id') id: string,
    @Body(new ZodPipe(editFormSchema)) { target, value, back }: z.output<typeof editFormSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    let notice: string = messages.editSaved;
    try {
      await this.operations.edit(id, { target, value }, { actor: actorNameOf(request) });
    } catch (error) {
      if (!isCoded(error)) throw error;
      notice = errorLine(error);
    }
    seeOther(this.sessions, request, response, pageAfter(id, back), notice);
  }

  @Get(':id/confirm/:action')
  @Allow('viewer')
  async confirm(
    @Param('id') id: string,
    @Param('action') given: string,
    @Query(new ZodPipe(backSchema)) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const action = askedSchema.safeParse(given);
    if (!action.success) throw new NotFoundException(messages.noFile);
    const row = await this.#row(id);
    const visitor = visitorOf(this.sessions, request, response);
    const asked = { label: await this.#label(row), back: pageAfter(row.id, back) };
    return confirmPage(visitor, row, action.data, asked);
  }

  @Post(':id/revert')
  @Allow('reviewer')
  @Audited('write-back revert')
  revert(
    @Param('id') id: string,
    @Body(new ZodPipe(backSchema)) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.#decide(id, 'revert', request, response, back);
  }

  @Post(':id/reapply')
  @Allow('reviewer')
  @Audited('write-back reapply')
  reapply(
    @Param('id') id: string,
    @Body(new ZodPipe(backSchema)) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.#decide(id, 'reapply', request, response, back);
  }

  @Post(':id/undo')
  @Allow('reviewer')
  @Audited('write-back undo')
  undo(
    @Param('id') id: string,
    @Body(new ZodPipe(backSchema)) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.#decide(id, 'undo', request, response, back);
  }

  @Post(':id/generate')
  @Allow('admin')
  @Audited('generate')
  async generate(
    @Param('id') id: string,
    @Body(new ZodPipe(backSchema)) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { store, externalId } = await this.#row(id);
    const notice = await this.again.request(store, externalId);
    seeOther(this.sessions, request, response, pageAfter(id, back), notice);
  }

  async #decide(
    id: string,
    decision: Decision,
    request: Request,
    response: Response,
    back?: string,
  ): Promise<void> {
    const notice = noticeOf(await this.operations.decide([id], decision, { actor: actorNameOf(request) }));
    const to = pageAfter(id, back);
    seeOther(this.sessions, request, response, to, notice);
  }

  async #label({ externalId }: WriteBackEntity): Promise<string> {
    return (await productLabels(this.db, [externalId])).get(externalId) ?? externalId;
  }

  async #row(id: string): Promise<WriteBackEntity> {
    const row = await this.writeBacks.get(id);
    if (row === null) throw new NotFoundException(messages.unknownWriteBack(id.slice(0, 100)));
    return row;
  }
}

/** The page that a form names as the next, if it is ours; otherwise that of the write-back. */
function pageAfter(id: string, back: string | undefined): string {
  return back === undefined ? writeBackPath(encodeURIComponent(id)) : ownPath(back);
}
