import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { JobProducer } from '../queue/index.js';
import { RunRequests } from '../connections/run-requests.js';
import { Connections } from '../connections/connections.js';
import { AdminGuard } from './admin.guard.js';
import { Describe } from './describe.js';
import { idSchema, type Page } from '../operations/paging.js';
import {
  runPageSchema,
  runQuerySchema,
  runSchema,
  syncBodySchema,
  type PresentedRun,
} from '../operations/present-run.js';
import {
  runItemPageSchema,
  runItemQuerySchema,
  type RunItemPage,
  type RunItemQuery,
} from '../operations/run-items.js';
import { RunOperations } from '../operations/runs.js';
import { actorNameOf, Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';

const RUN = { name: 'Run', schema: runSchema };
const ID = { name: 'Id', schema: idSchema };

/** Runs on demand, and the account of each (docs/http.md). */
@Controller('api/v1')
@UseGuards(AdminGuard)
export class SyncsController {
  constructor(
    private readonly connections: Connections,
    private readonly requests: RunRequests,
    private readonly runs: RunOperations,
    private readonly jobs: JobProducer,
  ) {}

  /** The store's active run where there is one. */
  @Describe({
    body: 'SyncRequest',
    summary: 'Request a sync; the id of the active run when there is one',
    answer: ID,
    errors: [404],
  })
  @Post('stores/:key/syncs')
  @Allow('admin')
  @Audited('sync')
  @HttpCode(202)
  async request(
    @Param('key') key: string,
    @Body({ schema: syncBodySchema }) body: z.output<typeof syncBodySchema>,
    @Req() asked: Request,
  ): Promise<{ id: string }> {
    if (!this.connections.findStore(key))
      throw new NotFoundException(`no store "${key.slice(0, 100)}" is configured`);
    const run = await this.requests.request({
      store: key,
      trigger: 'api',
      requestedBy: actorNameOf(asked),
      ...body,
    });
    await this.jobs.enqueue('runs', run.id);
    return { id: run.id };
  }

  @Describe({ summary: 'Syncs', answer: { name: 'RunPage', schema: runPageSchema } })
  @Get('syncs')
  @Allow('viewer')
  list(
    @Query({ schema: runQuerySchema }) query: z.output<typeof runQuerySchema>,
  ): Promise<Page<PresentedRun>> {
    return this.runs.list(query);
  }

  @Describe({ summary: 'One sync', answer: RUN, errors: [404] })
  @Get('syncs/:id')
  @Allow('viewer')
  show(@Param('id') id: string): Promise<PresentedRun> {
    return this.runs.show(id);
  }

  /** A product may have several outcomes, and then it has an item for each. */
  @Describe({
    summary: 'The products of a sync by outcome, with the reasons',
    answer: { name: 'RunItemPage', schema: runItemPageSchema },
    errors: [404],
  })
  @Get('syncs/:id/items')
  @Allow('viewer')
  items(
    @Param('id') id: string,
    @Query({ schema: runItemQuerySchema }) query: RunItemQuery,
  ): Promise<RunItemPage> {
    return this.runs.itemPage(id, query);
  }

  @Describe({
    summary: 'Stop a sync at its next safe point; the rest is owed to the next one',
    answer: RUN,
    errors: [404, 409],
  })
  @Post('syncs/:id/cancel')
  @Allow('admin')
  @Audited('sync cancel')
  @HttpCode(202)
  cancel(@Param('id') id: string, @Req() request: Request): Promise<PresentedRun> {
    return this.runs.cancel(id, actorNameOf(request));
  }

  @Describe({
    summary: 'Request a sync for the failures of this one; the id of the active run when there is one',
    answer: ID,
    errors: [404],
  })
  @Post('syncs/:id/retry')
  @Allow('admin')
  @Audited('sync retry')
  @HttpCode(202)
  async retry(@Param('id') id: string, @Req() request: Request): Promise<{ id: string }> {
    const next = await this.runs.retry(id, { trigger: 'api', requestedBy: actorNameOf(request) });
    return { id: next.id };
  }
}
