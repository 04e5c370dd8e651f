import { Body, Query } from '@nestjs/common';
import { z } from 'zod';
import { Connections } from '../../connections/connections.js';
import { ProductNames } from '../../operations/product-names.js';
import { filterOf } from '../../operations/write-back-filter.js';
import { UNDO_MS, WriteBackReview } from '../../operations/write-back-review.js';
import { WriteBackOperations } from '../../operations/write-backs.js';
import { noticeOf } from '../notice.js';
import { pageAt, severalSchema } from '../page-query.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ownPath, ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { Thumbnails } from '../thumbnails.js';
import { journalPage } from '../views/journal.js';
import { reviewPage } from '../views/review.js';
import { givenOf, waitingFilter, writeBackListSchema } from '../write-back-query.js';

const formSchema = z.looseObject({
  id: severalSchema,
  decision: z.enum(['approve', 'reject']),
  back: z.string().optional(),
});

/** Lists of write-backs: those that wait for review, and the journal. */
@Pages()
export class WriteBackLists {
  constructor(
    private readonly writeBacks: WriteBackOperations,
    private readonly texts: WriteBackReview,
    private readonly names: ProductNames,
    private readonly connections: Connections,
    private readonly thumbnails: Thumbnails,
  ) {}

  @Page('review')
  async review(
    @Query({ schema: writeBackListSchema }) query: z.output<typeof writeBackListSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const given = givenOf(query);
    const waiting = await this.writeBacks.list({ ...pageAt(query.offset), ...waitingFilter(given) });
    const [{ labels, images }, last, objections] = await Promise.all([
      this.#products(waiting.items),
      this.texts.lastDecision(visitor.session.name),
      this.texts.objections(waiting.items.map(({ id }) => id)),
    ]);
    const list = { given, stores: this.connections.storeKeys, last, images, objections };
    return reviewPage(visitor, waiting, labels, list);
  }

  /**
   * Decides about each selected row by itself. A refused row is reported, and the others continue. A list shows no whole texts, so its
   * approval leaves what the merchant edited and what a gate holds back.
   */
  @Form('review', 'reviewer', 'write-back {decision}')
  async decide(
    @Body({ schema: formSchema }) { id, decision, back }: z.output<typeof formSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const permissions = { overwriteEdits: false, passGates: false };
    const by = { actor: visit.name, delayMs: UNDO_MS, permissions };
    const notice =
      id.length === 0
        ? 'Select at least one product.'
        : noticeOf(await this.writeBacks.decide(id, decision, by), decision);
    return visit.goTo(ownPath(back ?? '/review'), notice);
  }

  @Page('journal')
  async journal(
    @Query({ schema: writeBackListSchema }) query: z.output<typeof writeBackListSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const given = givenOf(query);
    const filter = filterOf(given);
    const [journal, counts] = await Promise.all([
      this.writeBacks.list({ ...pageAt(query.offset), ...filter }),
      this.writeBacks.counts(filter),
    ]);
    const { labels, images } = await this.#products(journal.items);
    const list = { given, counts, stores: this.connections.storeKeys, images };
    return journalPage(visitor, journal, labels, list);
  }

  /** The titles and thumbnails of the products of a list, by external_id. */
  async #products(items: readonly { readonly externalId: string }[]) {
    const ids = items.map(({ externalId }) => externalId);
    const [labels, images] = await Promise.all([this.names.of(ids), this.thumbnails.of(ids)]);
    return { labels, images };
  }
}
