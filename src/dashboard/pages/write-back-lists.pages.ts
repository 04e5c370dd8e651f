import { Body, Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Database } from '../../persistence/database.js';
import { WriteBackOperations } from '../../operations/write-backs.js';
import { actorNameOf, Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { UNDO_MS } from '../field-approval.js';
import { noticeOf } from '../notice.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt, pageListSchema, severalSchema } from '../page-query.js';
import { productLabels } from '../product-labels.js';
import { ownPath, seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { JOURNAL_STATES, journalPage } from '../views/journal.js';
import { reviewPage } from '../views/review.js';
import { messages } from '../messages.js';

const querySchema = pageListSchema(JOURNAL_STATES);
const formSchema = z.looseObject({
  id: severalSchema,
  decision: z.enum(['approve', 'reject']),
  back: z.string().optional(),
});

/** Lists of write-backs: those that wait for review, and the journal. */
@Controller()
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class WriteBackLists {
  constructor(
    private readonly sessions: Sessions,
    private readonly writeBacks: WriteBackOperations,
    private readonly db: Database,
  ) {}

  @Get('review')
  @Allow('viewer')
  async review(
    @Query(new ZodPipe(querySchema)) { offset, store }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const waiting = await this.writeBacks.list({ ...pageAt(offset), state: 'pending_review', store });
    const labels = await this.#labels(waiting.items);
    return reviewPage(visitorOf(this.sessions, request, response), waiting, labels, store);
  }

  /** Decides about each selected row by itself. A refused row is reported, and the others continue. */
  @Post('review')
  @Allow('reviewer')
  @Audited('write-back {decision}')
  async decide(
    @Body(new ZodPipe(formSchema)) { id, decision, back }: z.output<typeof formSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const by = { actor: actorNameOf(request), delayMs: UNDO_MS };
    const notice =
      id.length === 0 ? messages.noProductChosen : noticeOf(await this.writeBacks.decide(id, decision, by));
    seeOther(this.sessions, request, response, ownPath(back ?? '/review'), notice);
  }

  @Get('journal')
  @Allow('viewer')
  async journal(
    @Query(new ZodPipe(querySchema)) { offset, state, store }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const journal = await this.writeBacks.list({ ...pageAt(offset), state, store });
    const labels = await this.#labels(journal.items);
    return journalPage(visitorOf(this.sessions, request, response), journal, labels, state);
  }

  #labels(items: readonly { externalId: string }[]): Promise<ReadonlyMap<string, string>> {
    return productLabels(
      this.db,
      items.map((item) => item.externalId),
    );
  }
}
