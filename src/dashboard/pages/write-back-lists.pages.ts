import { Body, Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Database } from '../../persistence/database.js';
import { Sites } from '../../sites/sites.js';
import { WriteBackOperations } from '../../operations/write-backs.js';
import { actorNameOf, Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { UNDO_MS } from '../field-approval.js';
import { LastDecisions } from '../last-decisions.js';
import { noticeOf } from '../notice.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt, severalSchema } from '../page-query.js';
import { productLabels } from '../../persistence/product-labels.js';
import { ownPath, seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { Thumbnails } from '../thumbnails.js';
import { journalPage } from '../views/journal.js';
import { reviewPage } from '../views/review.js';
import { messages } from '../messages.js';
import { filterOfPage, pageFilterOf, reviewFilterOf, writeBackListSchema } from '../write-back-query.js';

const querySchema = writeBackListSchema;
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
    private readonly decisions: LastDecisions,
    private readonly sites: Sites,
    private readonly thumbnails: Thumbnails,
  ) {}

  @Get('review')
  @Allow('viewer')
  async review(
    @Query(new ZodPipe(querySchema)) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const given = reviewFilterOf(query);
    const filter = filterOfPage({ ...given, state: 'pending_review' });
    const waiting = await this.writeBacks.list({ ...pageAt(query.offset), ...filter });
    const [labels, images, last] = await Promise.all([
      this.#labels(waiting.items),
      this.#images(waiting.items),
      this.decisions.of(actorNameOf(request)),
    ]);
    const list = { given, stores: this.#stores(), last, images };
    return reviewPage(visitorOf(this.sessions, request, response), waiting, labels, list);
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
    @Query(new ZodPipe(querySchema)) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const given = pageFilterOf(query);
    const filter = filterOfPage(given);
    const [journal, counts] = await Promise.all([
      this.writeBacks.list({ ...pageAt(query.offset), ...filter }),
      this.writeBacks.counts(filter),
    ]);
    const [labels, images] = await Promise.all([this.#labels(journal.items), this.#images(journal.items)]);
    const list = { given, counts, stores: this.#stores(), images };
    return journalPage(visitorOf(this.sessions, request, response), journal, labels, list);
  }

  #stores(): string[] {
    return this.sites.stores.map(({ key }) => key);
  }

  #images(items: readonly { externalId: string }[]): Promise<ReadonlyMap<string, string>> {
    return this.thumbnails.of(items.map(({ externalId }) => externalId));
  }

  #labels(items: readonly { externalId: string }[]): Promise<ReadonlyMap<string, string>> {
    return productLabels(
      this.db,
      items.map((item) => item.externalId),
    );
  }
}
