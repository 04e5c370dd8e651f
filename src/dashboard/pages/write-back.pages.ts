import { Body, NotFoundException, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { errorLine, isCoded } from '../../domain/errors.js';
import { found } from '../../operations/found.js';
import type { RowOutcome } from '../../operations/paging.js';
import { UNDO_MS, WriteBackReview, type ReviewedWriteBack } from '../../operations/write-back-review.js';
import { WriteBackOperations, type editSchema } from '../../operations/write-backs.js';
import { pathTo } from '../elements.js';
import { noticeAbout } from '../notice.js';
import { severalSchema } from '../page-query.js';
import { previewDocument } from '../preview.js';
import { Form, Page, Pages } from '../page-routes.js';
import { OtherAnswer, ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { Thumbnails } from '../thumbnails.js';
import { writeBackPage } from '../views/write-back.js';
import { notSavedPage, type TypedText } from '../views/write-back-actions.js';
import { EDIT_PREFIX, targetName, ticksOf, writeBackPath } from '../views/write-back-parts.js';
import { givenOf, listPlaceSchema, waitingFilter, type ListPlace } from '../write-back-query.js';

const versionSchema = z.coerce.number().int().min(1).optional();
/** An approval by a form whose field cannot be read covers nothing of the store. */
const shownSchema = z
  .string()
  .max(100_000)
  .transform((text) => Object.fromEntries(new URLSearchParams(text)))
  .optional()
  .catch({});
const decisionSchema = z.looseObject({
  decision: z.enum(['approve', 'reject', 'save']),
  field: severalSchema,
  reason: z.string().trim().max(500).default(''),
  version: versionSchema,
  shown: shownSchema,
});
const previewSchema = z.looseObject({ field: z.string().max(300) });
const sideSchema = z.enum(['before', 'after']);

/** One write-back: review of an open one, journal of a settled one. */
@Pages('write-backs')
export class WriteBackPages {
  constructor(
    private readonly operations: WriteBackOperations,
    private readonly texts: WriteBackReview,
    private readonly thumbnails: Thumbnails,
  ) {}

  @Page(':id')
  async show(
    @Param('id') id: string,
    @Query({ schema: listPlaceSchema }) place: ListPlace,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const reviewed = await this.texts.open(id);
    const { at } = place;
    const [images, last, newer, older] = await Promise.all([
      this.thumbnails.of([reviewed.row.externalId]),
      this.texts.lastDecision(visitor.session.name),
      at === undefined || at === 0 ? null : this.#waitingAt({ ...place, at: at - 1 }),
      at === undefined ? null : this.#waitingAt({ ...place, at: at + 1 }),
    ]);
    return writeBackPage(visitor, {
      ...reviewed,
      last,
      newer,
      older,
      place,
      image: images.get(reviewed.row.externalId),
    });
  }

  @Page(':id/preview/:side')
  async preview(
    @Param('id') id: string,
    @Param('side') side: string,
    @Query({ schema: previewSchema }) { field: target }: z.output<typeof previewSchema>,
    @Res() response: Response,
  ): Promise<void> {
    const which = sideSchema.safeParse(side);
    const comparison = await this.texts.compared(id);
    const field = comparison.fields.find((each) => each.kind === 'html' && each.target === target);
    if (!which.success || field === undefined) throw new NotFoundException('This field has no text to show.');
    const { headers, body } = previewDocument(field[which.data] ?? '');
    response.set(headers).send(body);
  }

  @Form(':id/decide', 'reviewer', 'write-back {decision}')
  async decide(
    @Param('id') id: string,
    @Query({ schema: listPlaceSchema }) place: ListPlace,
    @Body({ schema: decisionSchema }) form: z.output<typeof decisionSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const reviewed = await this.texts.open(id);
    const { label } = reviewed;
    const edits = form.decision === 'reject' ? [] : editsIn(form, reviewed);
    let { version } = form;
    const notSaved: TypedText[] = [];
    for (const edit of edits) {
      const saved = await this.#saved(id, { ...edit, version }, visit.name);
      if (typeof saved === 'string') notSaved.push({ ...edit, reason: saved });
      // The page's own edits do not stand in the way of its approval; one of somebody else in between does.
      else if (saved - 1 === version) version = saved;
    }
    const [first] = notSaved;
    if (first !== undefined) {
      const now = await this.texts.open(id);
      if (!now.isOpen) return visit.goTo(writeBackPath(id, place), first.reason);
      const page = notSavedPage(visit.shown(), now, place, { typed: notSaved, ticked: form.field });
      throw new OtherAnswer({ status: 409, page });
    }
    if (form.decision === 'save') {
      const back = writeBackPath(id, { ...place, ticks: ticksOf(reviewed.comparison, form.field) });
      const notice =
        edits.length === 0 ? 'Nothing was changed.' : 'The text was saved. Check it and approve it.';
      return visit.goTo(back, notice);
    }
    const outcome = await this.#decided(id, { ...form, version }, form.decision, visit.name);
    // The decided row leaves the list, so the next row is now in its place.
    const leadsOn = outcome.ok && place.at !== undefined;
    const next = leadsOn ? await this.#waitingAt(place) : null;
    const to = next ?? (leadsOn ? pathTo('/review', givenOf(place)) : writeBackPath(id, place));
    return visit.goTo(to, noticeAbout(label, outcome));
  }

  /** The version of the write-back that has the text, or the reason why it was not saved. */
  async #saved(id: string, edit: z.output<typeof editSchema>, actor: string): Promise<number | string> {
    try {
      return (await this.operations.edit(id, edit, { actor })).version;
    } catch (error) {
      if (!isCoded(error)) throw error;
      return errorLine(error);
    }
  }

  /** Fields that are not accepted are declined. */
  async #decided(
    id: string,
    { field, reason, version, shown }: z.output<typeof decisionSchema>,
    decision: 'approve' | 'reject',
    actor: string,
  ): Promise<RowOutcome> {
    const { comparison } = await this.texts.open(id);
    if (decision === 'approve' && !comparison.fields.some(({ target }) => field.includes(target)))
      return { id, ok: false, state: null, detail: 'accept at least one field, or reject the text' };
    const by = {
      actor,
      version,
      ...(decision === 'approve'
        ? { only: field, delayMs: UNDO_MS, shown }
        : { reason: reason || undefined }),
    };
    const [decided] = await this.operations.decide([id], decision, by);
    const outcome = found(decided, 'write-back', id);
    const { row } = await this.texts.open(id);
    const declined = row.declined.map(({ target }) => targetName(target)).join(', ');
    return decision === 'approve' && outcome.ok && declined !== ''
      ? { ...outcome, detail: `approved without ${declined}; it is written next` }
      : outcome;
  }

  /** The page of the write-back at a position of the review list. */
  async #waitingAt(place: ListPlace): Promise<string | null> {
    const { ticks: _ticks, ...list } = place;
    const id = await this.texts.idAt(place.at ?? 0, waitingFilter(givenOf(place)));
    return id === null ? null : writeBackPath(id, list);
  }
}

/** The texts of a form that differ from those that it was made from. A browser sends line ends as CR LF. */
function editsIn(
  form: Readonly<Record<string, unknown>>,
  { row, editable }: ReviewedWriteBack,
): { target: string; value: string }[] {
  return row.fields.flatMap(({ target, intended }) => {
    const given = form[`${EDIT_PREFIX}${target}`];
    if (typeof given !== 'string' || !editable.has(target) || intended === null) return [];
    const value = given.replaceAll('\r\n', '\n');
    return value === intended.replaceAll('\r\n', '\n') || value.trim() === '' ? [] : [{ target, value }];
  });
}
