import { pipeline } from 'node:stream/promises';
import { Inject, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { isCoded } from '../../domain/errors.js';
import { isUnderWay, RUN_STATES } from '../../operations/present-run.js';
import { RUN_OUTCOMES } from '../../operations/run-items.js';
import { ProductNames } from '../../operations/product-names.js';
import { RunOperations } from '../../operations/runs.js';
import { WriteBackOperations } from '../../operations/write-backs.js';
import { Connections } from '../../connections/connections.js';
import { Clock } from '../../runtime/clock.js';
import { Shutdown } from '../../runtime/shutdown.js';
import {
  datedListShape,
  formQuery,
  offsetSchema,
  pageAt,
  ROWS_OF_A_PAGE,
  searchSchema,
} from '../page-query.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { RUN_STOPPED, runPage, type RunView } from '../views/run.js';
import { namedIn } from '../views/withheld.js';
import { runsPage } from '../views/runs.js';
import { RUN_REQUESTED, RUN_UNDER_WAY } from './store.pages.js';

const listSchema = formQuery(datedListShape(RUN_STATES));
const itemsSchema = formQuery({
  offset: offsetSchema,
  outcome: z.enum([...RUN_OUTCOMES, 'sent']).optional(),
  search: searchSchema,
});
/** How often Node checks that the reader took something. One that takes nothing is cut off after up to twice this time. */
const READER_MS = 15_000;
const NO_CHANGES: RunView['changes'] = new Map();
type ItemsQuery = z.output<typeof itemsSchema>;

@Pages('runs')
export class RunPages {
  constructor(
    private readonly runs: RunOperations,
    private readonly texts: WriteBackOperations,
    private readonly names: ProductNames,
    private readonly connections: Connections,
    private readonly shutdown: Shutdown,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  @Page()
  async list(
    @Query({ schema: listSchema }) query: z.output<typeof listSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { offset, ...given } = query;
    const [runs, counts] = await Promise.all([
      this.runs.list({ ...pageAt(offset), ...given }),
      this.runs.counts(given),
    ]);
    const stores = this.connections.storeKeys;
    return runsPage(visitor, runs, { given, counts, stores });
  }

  @Page(':id')
  async show(
    @Param('id') id: string,
    @Query({ schema: itemsSchema }) query: ItemsQuery,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    return runPage(visitor, await this.#view(id, query));
  }

  @Page(':id/items.csv')
  async csv(
    @Param('id') id: string,
    @Query({ schema: itemsSchema }) { outcome, search }: ItemsQuery,
    @Res() response: Response,
  ): Promise<void> {
    const run = await this.runs.show(id);
    response.attachment(`run-${run.id}.csv`).type('text/csv; charset=utf-8');
    response.setTimeout(READER_MS, () => response.destroy());
    const { signal } = this.shutdown;
    await pipeline(this.runs.csv(run.id, { outcome, search }), response, { signal });
  }

  @Form(':id/cancel', 'admin', 'sync cancel')
  async cancel(@Param('id') id: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    const notice = await this.#cancelled(id, visit.name);
    return visit.goTo(`/runs/${encodeURIComponent(id)}`, notice);
  }

  @Form(':id/retry', 'admin', 'sync retry')
  async retry(@Param('id') id: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    const next = await this.runs.retry(id, { trigger: 'api', requestedBy: visit.name });
    const notice = next.created ? RUN_REQUESTED : RUN_UNDER_WAY;
    return visit.goTo(`/runs/${next.id}`, notice);
  }

  /** The notice for the person. A run that ends meanwhile is no error. */
  async #cancelled(id: string, by: string): Promise<string> {
    try {
      const run = await this.runs.cancel(id, by);
      return isUnderWay(run)
        ? 'The run stops at its next safe point. Its other products are put off to the next run.'
        : RUN_STOPPED;
    } catch (error) {
      if (isCoded(error, 'conflict')) return 'The run has ended already.';
      throw error;
    }
  }

  async #view(id: string, { offset, outcome, search }: ItemsQuery): Promise<RunView> {
    const opened = await this.runs.open(id);
    const { run } = opened;
    const choice = { outcome, search };
    const [progress, texts, items] = await Promise.all([
      this.runs.progress(run.id),
      this.texts.counts({ run: run.id }),
      this.runs.itemPage(run.id, { ...choice, offset, limit: ROWS_OF_A_PAGE }),
    ]);
    // The changing part of the page is requested each second: it shows no texts.
    const ids = isUnderWay(run) ? [] : items.items.map(({ externalId }) => externalId);
    const changes = ids.length === 0 ? NO_CHANGES : await this.runs.changes(run.id, ids);
    const titles = await this.names.of(items.items.flatMap(({ reason }) => namedIn(reason)));
    return { ...opened, titles, progress, texts, items, changes, choice, now: this.clock.now() };
  }
}
