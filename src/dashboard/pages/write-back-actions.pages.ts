import { Body, NotFoundException, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { found } from '../../operations/found.js';
import { WriteBackOperations, type Decision } from '../../operations/write-backs.js';
import { WriteBackReview } from '../../operations/write-back-review.js';
import { GenerateAgain } from '../generate-again.js';
import { noticeAbout } from '../notice.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ownPath, ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { ASKED, confirmPage } from '../views/write-back-actions.js';
import { writeBackPath } from '../views/write-back-parts.js';

const askedSchema = z.enum(ASKED);
const backSchema = z.looseObject({ back: z.string().max(1000).optional() });

/** The other actions of a person on one write-back: undo, revert, apply again, generate again. */
@Pages('write-backs')
export class WriteBackActionPages {
  constructor(
    private readonly operations: WriteBackOperations,
    private readonly again: GenerateAgain,
    private readonly texts: WriteBackReview,
  ) {}

  @Page(':id/confirm/:action')
  async confirm(
    @Param('id') id: string,
    @Param('action') given: string,
    @Query({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const action = askedSchema.safeParse(given);
    if (!action.success) throw new NotFoundException('This page does not exist.');
    const { row, label } = await this.texts.open(id);
    const asked = { label, back: pageAfter(row.id, back) };
    return confirmPage(visitor, row, action.data, asked);
  }

  @Form(':id/revert', 'reviewer', 'write-back revert')
  revert(
    @Param('id') id: string,
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    return this.#decide(id, 'revert', visit, back);
  }

  @Form(':id/reapply', 'reviewer', 'write-back reapply')
  reapply(
    @Param('id') id: string,
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    return this.#decide(id, 'reapply', visit, back);
  }

  @Form(':id/undo', 'reviewer', 'write-back undo')
  undo(
    @Param('id') id: string,
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    return this.#decide(id, 'undo', visit, back);
  }

  @Form(':id/generate', 'admin', 'generate')
  async generate(
    @Param('id') id: string,
    @Body({ schema: backSchema }) { back }: z.output<typeof backSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const { store, externalId } = (await this.texts.open(id)).row;
    const notice = await this.again.request(store, [externalId]);
    return visit.goTo(pageAfter(id, back), notice);
  }

  async #decide(id: string, decision: Decision, visit: Visit, back?: string): Promise<NextPage> {
    const { label } = await this.texts.open(id);
    const [decided] = await this.operations.decide([id], decision, { actor: visit.name });
    const outcome = found(decided, 'write-back', id);
    // A reapplication is a new write-back.
    const about = decision === 'reapply' && outcome.ok ? { ...outcome, detail: 'applied again' } : outcome;
    return visit.goTo(pageAfter(id, back), noticeAbout(label, about));
  }
}

/** The page that a form names as the next, if it is ours; otherwise that of the write-back. */
function pageAfter(id: string, back: string | undefined): string {
  return back === undefined ? writeBackPath(encodeURIComponent(id)) : ownPath(back);
}
