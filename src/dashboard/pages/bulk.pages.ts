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
import { BULK_ACTIONS } from '../../domain/write-back-filter.js';
import { BULK_STATES, BulkOperations, type PresentedBulkChange } from '../../operations/bulk-changes.js';
import { filterOf, filterShape } from '../../operations/write-back-filter.js';
import { WriteBackReview } from '../../operations/write-back-review.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { datedListShape, formQuery, pageAt } from '../page-query.js';
import { bulkListPage } from '../views/bulk-list.js';
import { Connections } from '../../connections/connections.js';
import { bulkPage, bulkProgress, bulkQuestionPage, type BulkQuestion } from '../views/bulk.js';
import { givenOf } from '../write-back-query.js';

const BULK_REQUESTED = 'The change was requested.';

const listSchema = formQuery(datedListShape(BULK_STATES));
const questionShape = { ...filterShape, action: z.enum(BULK_ACTIONS) };
const questionSchema = formQuery(questionShape);
/** A box of a form. */
const ticked = z
  .literal('1')
  .optional()
  .transform((given) => given === '1');
const requestSchema = z.looseObject({
  ...questionShape,
  dryRun: ticked,
  overwriteEdits: ticked,
  passGates: ticked,
  until: z.iso.datetime().transform((text) => new Date(text)),
});

/** Changes of all write-backs that a filter selects: the question, the progress and the report. */
@Controller('bulk')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class BulkPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly changes: BulkOperations,
    private readonly texts: WriteBackReview,
    private readonly connections: Connections,
  ) {}

  @Get()
  @Allow('viewer')
  async list(
    @Query({ schema: listSchema }) query: z.output<typeof listSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { offset, state, store, from, to, search } = query;
    const given = { state, store, from, to, search };
    const [changes, counts] = await Promise.all([
      this.changes.summaries(pageAt(offset), given),
      this.changes.counts(given),
    ]);
    const stores = this.connections.stores.map(({ key }) => key);
    return bulkListPage(visitorOf(this.sessions, request, response), changes, { given, counts, stores });
  }

  @Get('new')
  @Allow('viewer')
  async question(
    @Query({ schema: questionSchema }) query: z.output<typeof questionSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const given = givenOf(query);
    const filter = filterOf(given);
    const { action } = query;
    const { count, until } = await this.changes.count(action, filter);
    const objections =
      action === 'approve' ? await this.texts.countObjections({ state: 'pending_review', ...filter }) : null;
    const question: BulkQuestion = { action, given, count, until: until.toISOString(), objections };
    return bulkQuestionPage(visitorOf(this.sessions, request, response), question);
  }

  @Post()
  @Allow('reviewer')
  @Audited('write-back bulk {action}')
  async request(
    @Body({ schema: requestSchema }) form: z.output<typeof requestSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { action, dryRun, until, overwriteEdits, passGates } = form;
    const wanted = { action, dryRun, until, overwriteEdits, passGates, filter: filterOf(givenOf(form)) };
    const { id } = await this.changes.request(wanted, actorNameOf(request));
    await seeOther(this.sessions, request, response, `/bulk/${id}`, BULK_REQUESTED);
  }

  @Get(':id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const change = await this.#known(id);
    return bulkPage(visitorOf(this.sessions, request, response), change);
  }

  /** Only the changing part of the page, for its script. */
  @Get(':id/progress')
  @Allow('viewer')
  async progress(@Param('id') id: string): Promise<string> {
    return bulkProgress(await this.#known(id)).text;
  }

  /** Does what a dry run showed, for the rows that it counted. */
  @Post(':id/apply')
  @Allow('reviewer')
  @Audited('write-back bulk apply')
  async apply(@Param('id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const change = await this.changes.afterDryRun(id, actorNameOf(request));
    await seeOther(this.sessions, request, response, `/bulk/${change.id}`, BULK_REQUESTED);
  }

  @Post(':id/cancel')
  @Allow('reviewer')
  @Audited('write-back bulk cancel')
  async cancel(@Param('id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.changes.cancel(id, actorNameOf(request));
    await seeOther(
      this.sessions,
      request,
      response,
      `/bulk/${encodeURIComponent(id)}`,
      'The change was stopped.',
    );
  }

  async #known(id: string): Promise<PresentedBulkChange> {
    const change = await this.changes.show(id);
    if (change === null) throw new NotFoundException(`No bulk change found for “${id.slice(0, 100)}”.`);
    return change;
  }
}
