import { Body, Param, Query } from '@nestjs/common';
import { ApiController, Change, Describe, Read } from './api-routes.js';
import type { z } from 'zod';
import { type Page } from '../operations/paging.js';
import { runQuerySchema, syncBodySchema, type PresentedRun } from '../operations/present-run.js';
import { runItemQuerySchema, type RunItemPage, type RunItemQuery } from '../operations/run-items.js';
import { RunOperations } from '../operations/runs.js';
import { ActorName } from './allow.js';

/** Runs on demand, and the account of each (docs/http.md). */
@ApiController('api/v1')
export class SyncsController {
  constructor(private readonly runs: RunOperations) {}

  /** The store's active run where there is one. */
  @Describe('Request a sync; the id of the active run when there is one', 'Id', [404])
  @Change('stores/:key/syncs', 'admin', 'sync', 202)
  async request(
    @Param('key') key: string,
    @Body({ schema: syncBodySchema }) body: z.output<typeof syncBodySchema>,
    @ActorName() actor: string,
  ): Promise<{ id: string }> {
    const run = await this.runs.request({ store: key, trigger: 'api', requestedBy: actor, ...body });
    return { id: run.id };
  }

  @Describe('Syncs', 'RunPage')
  @Read('syncs')
  list(
    @Query({ schema: runQuerySchema }) query: z.output<typeof runQuerySchema>,
  ): Promise<Page<PresentedRun>> {
    return this.runs.list(query);
  }

  @Describe('One sync', 'Run', [404])
  @Read('syncs/:id')
  show(@Param('id') id: string): Promise<PresentedRun> {
    return this.runs.show(id);
  }

  /** A product may have several outcomes, and then it has an item for each. */
  @Describe('The products of a sync by outcome, with the reasons', 'RunItemPage', [404])
  @Read('syncs/:id/items')
  items(
    @Param('id') id: string,
    @Query({ schema: runItemQuerySchema }) query: RunItemQuery,
  ): Promise<RunItemPage> {
    return this.runs.itemPage(id, query);
  }

  @Describe('Stop a sync at its next safe point; the rest is owed to the next one', 'Run', [404, 409])
  @Change('syncs/:id/cancel', 'admin', 'sync cancel', 202)
  cancel(@Param('id') id: string, @ActorName() actor: string): Promise<PresentedRun> {
    return this.runs.cancel(id, actor);
  }

  @Describe(
    'Request a sync for the failures of this one; the id of the active run when there is one',
    'Id',
    [404],
  )
  @Change('syncs/:id/retry', 'admin', 'sync retry', 202)
  async retry(@Param('id') id: string, @ActorName() actor: string): Promise<{ id: string }> {
    const next = await this.runs.retry(id, { trigger: 'api', requestedBy: actor });
    return { id: next.id };
  }
}
