import {
  Body,
  Controller,
  Get,
  Inject,
  NotFoundException,
  Param,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { SyncRunEntity } from '../../persistence/entities/index.js';
import { StatusRepository } from '../../persistence/status.repository.js';
import { JobProducer } from '../../queue/index.js';
import { RunRequests } from '../../sites/run-requests.js';
import { Sites } from '../../sites/sites.js';
import { nextStart } from '../../sites/start-times.js';
import { Clock } from '../../runtime/clock.js';
import { presentRun } from '../../operations/present-run.js';
import { StoreHealthOperations } from '../../operations/store-health.js';
import { StatusReader, type StoreStatus } from '../../operations/status.js';
import { Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { ZodPipe } from '../../api/zod.pipe.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { counted } from '../elements.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { overviewPage, type StoreOutlook } from '../views/overview.js';
import { messages } from '../messages.js';

const RUNS_CHARTED = 20;
const NOTICE_LENGTH = 300;
const syncFormSchema = z.looseObject({ kind: z.enum(['changed', 'full']).default('changed') });

/** The state of all stores and workspaces on one page. */
@Controller()
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class OverviewPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly status: StatusReader,
    private readonly health: StoreHealthOperations,
    private readonly runs: StatusRepository,
    private readonly sites: Sites,
    private readonly requests: RunRequests,
    private readonly clock: Clock,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueue'>,
  ) {}

  @Get()
  @Allow('viewer')
  async show(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const status = await this.status.read();
    const runs = await this.runs.latestRuns(
      status.stores.map(({ store }) => store),
      RUNS_CHARTED,
    );
    const stores = status.stores.map((store) => this.#outlook(store, runs.get(store.store) ?? []));
    return overviewPage(visitorOf(this.sessions, request, response), status, stores);
  }

  @Post('stores/:key/sync')
  @Allow('admin')
  @Audited('sync')
  async sync(
    @Param('key') key: string,
    @Body(new ZodPipe(syncFormSchema)) { kind }: z.output<typeof syncFormSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!this.sites.findStore(key)) throw new NotFoundException(messages.unknownStore(key.slice(0, 100)));
    const run = await this.requests.request({ store: key, full: kind === 'full', trigger: 'api' });
    await this.jobs.enqueue('runs', run.id);
    const notice = run.created ? messages.runRequested : messages.runUnderWay;
    seeOther(this.sessions, request, response, `/runs/${run.id}`, notice);
  }

  @Post('stores/:key/retry')
  @Allow('admin')
  @Audited('store retry')
  async retry(@Param('key') key: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { health, woken } = await this.health.retry(key);
    const waiting = counted(woken.writeBacks, 'write');
    const notice =
      health.state === 'ok'
        ? messages.storeWorksAgain(key, waiting, counted(woken.runs, 'run'))
        : messages.storeStillRefuses(key, health.reason ?? messages.noPauseReason);
    seeOther(this.sessions, request, response, '/', notice.slice(0, NOTICE_LENGTH));
  }

  #outlook(status: StoreStatus, rows: readonly SyncRunEntity[]): StoreOutlook {
    const store = this.sites.findStore(status.store);
    const nextRunAt = store === undefined ? null : nextStart(store.settings, this.clock.now());
    return { status, nextRunAt, runs: rows.map(presentRun) };
  }
}
