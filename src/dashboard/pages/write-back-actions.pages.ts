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
import { editSchema, WriteBackOperations, type Decision } from '../../operations/write-backs.js';
import { WriteBackReview, type ReviewedWriteBack } from '../../operations/write-back-review.js';
import { GenerateAgain } from '../generate-again.js';
import { noticeAbout } from '../notice.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { ownPath, seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { editedField, TextEditing } from '../text-editing.js';
import { ASKED, confirmPage, editPage } from '../views/write-back-actions.js';
import { unknownWriteBack, writeBackPath } from '../views/write-back-parts.js';

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
    private readonly texts: WriteBackReview,
    private readonly editing: TextEditing,
  ) {}

  @Get(':id/edit')
  @Allow('viewer')
  async edit(
    @Param('id') id: string,
    @Query({ schema: fieldSchema }) { field, back }: z.output<typeof fieldSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const reviewed = await this.#known(id);
    const { value, came } = editedField(reviewed, field);
    const { row, label } = reviewed;
    return editPage(visitorOf(this.sessions, request, response), {
      id: row.id,
      version: row.version,
      target: field,
      value,
      came,
      label,
      back: pageAfter(row.id, back),
      problem: null,
    });
  }

  @Post(':id/edit')
  @Allow('reviewer')
  @Audited('write-back edit')
  async save(
    @Param('id') id: string,
    @Body({ schema: editFormSchema }) { target, value, version, back }: z.output<typeof editFormSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const next = pageAfter(id, back);
    const edit = { target, value, version };
    const by = { actor: actorNameOf(request), place: next, request, response };
    if ((await this.editing.save(id, edit, by)) === null) return;
    await seeOther(this.sessions, request, response, next, 'The text was saved. Check it and approve it.');
  }

  @Get(':id/confirm/:action')
  @Allow('viewer')
  async confirm(
    @Param('id') id: string,
    @Param('action') given: string,
    @Query({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const action = askedSchema.safeParse(given);
    if (!action.success) throw new NotFoundException('This page does not exist.');
    const { row, label } = await this.#known(id);
    const visitor = visitorOf(this.sessions, request, response);
    const asked = { label, back: pageAfter(row.id, back) };
    return confirmPage(visitor, row, action.data, asked);
  }

  @Post(':id/revert')
  @Allow('reviewer')
  @Audited('write-back revert')
  revert(
    @Param('id') id: string,
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
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
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
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
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
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
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { store, externalId } = (await this.#known(id)).row;
    const notice = await this.again.request(store, [externalId]);
    await seeOther(this.sessions, request, response, pageAfter(id, back), notice);
  }

  async #decide(
    id: string,
    decision: Decision,
    request: Request,
    response: Response,
    back?: string,
  ): Promise<void> {
    const { label } = await this.#known(id);
    const [outcome] = await this.operations.decide([id], decision, { actor: actorNameOf(request) });
    if (outcome === undefined) throw new NotFoundException(unknownWriteBack(id));
    // A reapplication is a new write-back.
    const about = decision === 'reapply' && outcome.ok ? { ...outcome, detail: 'applied again' } : outcome;
    await seeOther(this.sessions, request, response, pageAfter(id, back), noticeAbout(label, about));
  }

  async #known(id: string): Promise<ReviewedWriteBack> {
    const reviewed = await this.texts.open(id);
    if (reviewed === null) throw new NotFoundException(unknownWriteBack(id));
    return reviewed;
  }
}

/** The page that a form names as the next, if it is ours; otherwise that of the write-back. */
function pageAfter(id: string, back: string | undefined): string {
  return back === undefined ? writeBackPath(encodeURIComponent(id)) : ownPath(back);
}
