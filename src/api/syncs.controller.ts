import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import type { z } from 'zod';
import { ListingRepository } from '../persistence/listing.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { JobProducer } from '../queue/index.js';
import { RunRequests } from '../sites/run-requests.js';
import { Sites } from '../sites/sites.js';
import { AdminGuard } from './admin.guard.js';
import { Describe } from './describe.js';
import { idSchema, pageOf, type Page } from '../operations/paging.js';
import {
  presentRun,
  runPageSchema,
  runQuerySchema,
  runSchema,
  syncBodySchema,
  type PresentedRun,
} from '../operations/present-run.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';
import { ZodPipe } from './zod.pipe.js';

/** Runs on demand (docs/http.md). */
@Controller('api/v1')
@UseGuards(AdminGuard)
export class SyncsController {
  constructor(
    private readonly sites: Sites,
    private readonly requests: RunRequests,
    private readonly runs: RunRepository,
    private readonly listing: ListingRepository,
    private readonly jobs: JobProducer,
  ) {}

  /** The store's active run where there is one. */
  @Describe({
    summary: 'Request a sync; the id of the active run when there is one',
    answer: { name: 'Id', schema: idSchema },
    example: { id: '6f1c2a34-58d0-4c1e-9f0b-2f6a7d1c9e55' },
    errors: [404],
  })
  @Post('stores/:key/syncs')
  @Allow('admin')
  @Audited('sync')
  @HttpCode(202)
  async request(
    @Param('key') key: string,
    @Body(new ZodPipe(syncBodySchema, 'SyncRequest')) body: z.output<typeof syncBodySchema>,
  ): Promise<{ id: string }> {
    if (!this.sites.findStore(key))
      throw new NotFoundException(`no store "${key.slice(0, 100)}" is configured`);
    const run = await this.requests.request({ store: key, trigger: 'api', ...body });
    await this.jobs.enqueue('runs', run.id);
    return { id: run.id };
  }

  @Describe({
    summary: 'Syncs',
    answer: { name: 'RunPage', schema: runPageSchema },
  })
  @Get('syncs')
  @Allow('viewer')
  async list(
    @Query(new ZodPipe(runQuerySchema)) query: z.output<typeof runQuerySchema>,
  ): Promise<Page<PresentedRun>> {
    return pageOf(await this.listing.runs(query, query), query, presentRun);
  }

  @Describe({
    summary: 'One sync',
    answer: { name: 'Run', schema: runSchema },
    errors: [404],
  })
  @Get('syncs/:id')
  @Allow('viewer')
  async show(@Param('id') id: string): Promise<PresentedRun> {
    const run = await this.runs.get(id);
    if (run === null) throw new NotFoundException(`no sync ${id.slice(0, 100)}`);
    return presentRun(run);
  }
}
