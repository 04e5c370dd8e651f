import { Body, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { BULK_ACTIONS } from '../../domain/write-back-filter.js';
import { BULK_STATES, BulkOperations } from '../../operations/bulk-changes.js';
import { filterOf, filterShape } from '../../operations/write-back-filter.js';
import { WriteBackReview } from '../../operations/write-back-review.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { datedListShape, formQuery, pageAt } from '../page-query.js';
import { bulkListPage } from '../views/bulk-list.js';
import { Connections } from '../../connections/connections.js';
import { bulkPage, bulkQuestionPage, type BulkQuestion } from '../views/bulk.js';
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
@Pages('bulk')
export class BulkPages {
  constructor(
    private readonly changes: BulkOperations,
    private readonly texts: WriteBackReview,
    private readonly connections: Connections,
  ) {}

  @Page()
  async list(
    @Query({ schema: listSchema }) query: z.output<typeof listSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { offset, ...given } = query;
    const [changes, counts] = await Promise.all([
      this.changes.summaries(pageAt(offset), given),
      this.changes.counts(given),
    ]);
    const stores = this.connections.storeKeys;
    return bulkListPage(visitor, changes, { given, counts, stores });
  }

  @Page('new')
  async question(
    @Query({ schema: questionSchema }) query: z.output<typeof questionSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const given = givenOf(query);
    const filter = filterOf(given);
    const { action } = query;
    const { count, until } = await this.changes.count(action, filter);
    const objections =
      action === 'approve' ? await this.texts.countObjections({ state: 'pending_review', ...filter }) : null;
    const question: BulkQuestion = { action, given, count, until: until.toISOString(), objections };
    return bulkQuestionPage(visitor, question);
  }

  @Form('', 'reviewer', 'write-back bulk {action}')
  async request(
    @Body({ schema: requestSchema }) form: z.output<typeof requestSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const { action, dryRun, until, overwriteEdits, passGates } = form;
    const wanted = { action, dryRun, until, overwriteEdits, passGates, filter: filterOf(givenOf(form)) };
    const { id } = await this.changes.request(wanted, visit.name);
    return visit.goTo(`/bulk/${id}`, BULK_REQUESTED);
  }

  @Page(':id')
  async show(@Param('id') id: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    return bulkPage(visitor, await this.changes.show(id));
  }

  /** Does what a dry run showed, for the rows that it counted. */
  @Form(':id/apply', 'reviewer', 'write-back bulk apply')
  async apply(@Param('id') id: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    const change = await this.changes.afterDryRun(id, visit.name);
    return visit.goTo(`/bulk/${change.id}`, BULK_REQUESTED);
  }

  @Form(':id/cancel', 'reviewer', 'write-back bulk cancel')
  async cancel(@Param('id') id: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    await this.changes.cancel(id, visit.name);
    return visit.goTo(`/bulk/${encodeURIComponent(id)}`, 'The change was stopped.');
  }
}
