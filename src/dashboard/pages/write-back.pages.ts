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
import { Database } from '../../persistence/database.js';
import type { WriteBackEntity } from '../../persistence/entities/index.js';
import { ListingRepository } from '../../persistence/listing.repository.js';
import { WriteBackRepository } from '../../persistence/write-back.repository.js';
import { WriteBackOperations, type Decision, type DecisionBy } from '../../operations/write-backs.js';
import { actorNameOf, Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { pathTo } from '../elements.js';
import { FieldApproval } from '../field-approval.js';
import { LastDecisions } from '../last-decisions.js';
import { LiveValues } from '../live-values.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt, severalSchema } from '../page-query.js';
import { previewDocument } from '../preview.js';
import { productLabels } from '../../persistence/product-labels.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { Thumbnails } from '../thumbnails.js';
import { writeBackPage } from '../views/write-back.js';
import { writeBackPath } from '../views/write-back-parts.js';
import { messages } from '../messages.js';
import { filterOfPage, reviewFilterOf, listPlaceSchema, type ListPlace } from '../write-back-query.js';

const decisionSchema = z.looseObject({
  decision: z.enum(['approve', 'reject']),
  field: severalSchema,
  reason: z.string().trim().max(500).default(''),
});
const previewSchema = z.looseObject({ field: z.string().max(300) });
const sideSchema = z.enum(['before', 'after']);

/** One write-back: review of an open one, journal of a settled one. */
@Controller('write-backs')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class WriteBackPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly operations: WriteBackOperations,
    private readonly writeBacks: WriteBackRepository,
    private readonly listing: ListingRepository,
    private readonly db: Database,
    private readonly values: LiveValues,
    private readonly approval: FieldApproval,
    private readonly decisions: LastDecisions,
    private readonly thumbnails: Thumbnails,
  ) {}

  @Get(':id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Query(new ZodPipe(listPlaceSchema)) place: ListPlace,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const row = await this.#row(id);
    const [comparison, labels, images, last, newer, older] = await Promise.all([
      this.values.compare(row, { fresh: true }),
      productLabels(this.db, [row.externalId]),
      this.thumbnails.of([row.externalId]),
      this.decisions.of(actorNameOf(request)),
      place.at === undefined || place.at === 0 ? null : this.#waitingAt({ ...place, at: place.at - 1 }),
      place.at === undefined ? null : this.#waitingAt({ ...place, at: place.at + 1 }),
    ]);
    const findings = await this.values.findings(row);
    return writeBackPage(visitorOf(this.sessions, request, response), {
      row,
      comparison,
      findings,
      last,
      newer,
      older,
      place,
      label: labels.get(row.externalId) ?? row.externalId,
      image: images.get(row.externalId),
    });
  }

  @Get(':id/preview/:side')
  @Allow('viewer')
  async preview(
    @Param('id') id: string,
    @Param('side') side: string,
    @Query(new ZodPipe(previewSchema)) { field: target }: z.output<typeof previewSchema>,
    @Res() response: Response,
  ): Promise<void> {
    const which = sideSchema.safeParse(side);
    const { fields } = await this.values.compare(await this.#row(id), { fresh: false });
    const field = fields.find((each) => each.kind === 'html' && each.target === target);
    if (!which.success || field === undefined) throw new NotFoundException(messages.nothingToRender);
    const { headers, body } = previewDocument(field[which.data] ?? '');
    response.set(headers).send(body);
  }

  @Post(':id/decide')
  @Allow('reviewer')
  @Audited('write-back {decision}')
  async decide(
    @Param('id') id: string,
    @Query(new ZodPipe(listPlaceSchema)) place: ListPlace,
    @Body(new ZodPipe(decisionSchema)) form: z.output<typeof decisionSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const outcome =
      form.decision === 'approve'
        ? await this.approval.approve(id, form.field, actorNameOf(request))
        : await this.#decided(id, 'reject', {
            actor: actorNameOf(request),
            reason: form.reason || undefined,
          });
    // The decided row leaves the list, so the next row is now in its place.
    const leadsOn = outcome.ok && place.at !== undefined;
    const next = leadsOn ? await this.#waitingAt(place) : null;
    const to = next ?? (leadsOn ? pathTo('/review', reviewFilterOf(place)) : writeBackPath(id, place));
    const { label } = outcome;
    seeOther(this.sessions, request, response, to, `${label === null ? '' : `${label}: `}${outcome.detail}.`);
  }

  async #decided(
    id: string,
    decision: Decision,
    by: DecisionBy,
  ): Promise<{ ok: boolean; detail: string; label: string | null }> {
    const row = await this.#row(id);
    const [outcome] = await this.operations.decide([id], decision, by);
    const labels = await productLabels(this.db, [row.externalId]);
    return {
      ok: outcome?.ok ?? false,
      detail: outcome?.detail ?? messages.nothingDecided,
      label: labels.get(row.externalId) ?? null,
    };
  }

  async #row(id: string): Promise<WriteBackEntity> {
    const row = await this.writeBacks.get(id);
    if (row === null) throw new NotFoundException(messages.unknownWriteBack(id.slice(0, 100)));
    return row;
  }

  /** The page of the write-back at a position of the review list. */
  async #waitingAt(place: ListPlace): Promise<string | null> {
    const filter = filterOfPage({ ...reviewFilterOf(place), state: 'pending_review' });
    const { rows } = await this.listing.writeBacks(pageAt(place.at ?? 0, 1), filter);
    const [row] = rows;
    return row === undefined ? null : writeBackPath(row.id, place);
  }
}
