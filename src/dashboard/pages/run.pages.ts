import {
  Controller,
  Get,
  NotFoundException,
  Param,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { ActionRepository } from '../../persistence/action.repository.js';
import { ListingRepository } from '../../persistence/listing.repository.js';
import { RunRepository } from '../../persistence/run.repository.js';
import { pageOf } from '../../operations/paging.js';
import { presentRun } from '../../operations/present-run.js';
import { Allow } from '../../api/allow.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt, pageListSchema } from '../page-query.js';
import { SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { progressFragment, runPage, RUN_STATES, runsPage, type RunProgress } from '../views/runs.js';
import { messages } from '../messages.js';

const FAILURES_SHOWN = 50;
const querySchema = pageListSchema(RUN_STATES);

@Controller('runs')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class RunPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly listing: ListingRepository,
    private readonly runs: RunRepository,
    private readonly actions: ActionRepository,
  ) {}

  @Get()
  @Allow('viewer')
  async list(
    @Query(new ZodPipe(querySchema)) { offset, state }: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const page = pageAt(offset);
    const runs = pageOf(await this.listing.runs(page, { state }), page, presentRun);
    return runsPage(visitorOf(this.sessions, request, response), runs, state);
  }

  @Get(':id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return runPage(visitorOf(this.sessions, request, response), await this.#progress(id));
  }

  /** Only the changing part of the page, for its script. */
  @Get(':id/progress')
  @Allow('viewer')
  async progress(@Param('id') id: string): Promise<string> {
    return progressFragment(await this.#progress(id)).text;
  }

  async #progress(id: string): Promise<RunProgress> {
    const run = await this.runs.get(id);
    if (run === null) throw new NotFoundException(messages.unknownRun(id.slice(0, 100)));
    const [tally, failures] = await Promise.all([
      this.actions.tally(run.id),
      this.actions.failures(run.id, FAILURES_SHOWN),
    ]);
    const settled = tally.created + tally.updated + tally.orphaned + tally.failed;
    return { run: presentRun(run), phase: run.phase, settled, planned: settled + tally.open, failures };
  }
}
