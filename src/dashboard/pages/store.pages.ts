import {
  Body,
  Controller,
  Get,
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
import { actorNameOf, Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { OverviewReader } from '../../operations/overview.js';
import { RunOperations } from '../../operations/runs.js';
import { StatusReader } from '../../operations/status.js';
import { StoreHealthOperations } from '../../operations/store-health.js';
import { Clock } from '../../runtime/clock.js';
import { Connections, type Store } from '../../connections/connections.js';
import { nextStart } from '../../connections/start-times.js';
import { counted } from '../elements.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageAt } from '../page-query.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { storePage } from '../views/store.js';
import { NO_PAUSE_REASON } from '../generate-again.js';
import { unknownStore } from '../views/problem.js';

export const RUN_REQUESTED = 'The run was requested.';
export const RUN_UNDER_WAY = 'This store already has an active run, shown here.';

const RUNS_CHARTED = 20;
const NOTICE_LENGTH = 300;
export const kindFormSchema = z.looseObject({ kind: z.enum(['changed', 'full']).default('changed') });
/** `force` is there when the run shall ignore the share limits. */
const syncFormSchema = kindFormSchema.extend({ force: z.literal('true').optional() });

/** One store: its state, and what a person can do about it. */
@Controller('stores')
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class StorePages {
  constructor(
    private readonly sessions: Sessions,
    private readonly status: StatusReader,
    private readonly overview: OverviewReader,
    private readonly health: StoreHealthOperations,
    private readonly runs: RunOperations,
    private readonly connections: Connections,
    private readonly clock: Clock,
  ) {}

  @Get(':key')
  @Allow('viewer')
  async show(
    @Param('key') key: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { settings } = this.#store(key);
    const [status, { coverage, days, problems, without }, runs] = await Promise.all([
      this.status.store(key),
      this.overview.store(key),
      this.runs.list({ ...pageAt(0, RUNS_CHARTED), store: key }),
    ]);
    if (status === null) throw new NotFoundException(unknownStore(key.slice(0, 100)));
    return storePage(visitorOf(this.sessions, request, response), {
      status,
      coverage,
      days,
      without,
      problems,
      schedule: settings.schedule,
      nextRunAt: nextStart(settings, this.clock.now()),
      runs: runs.items,
    });
  }

  @Post(':key/sync')
  @Allow('admin')
  @Audited('sync')
  async sync(
    @Param('key') key: string,
    @Body({ schema: syncFormSchema }) { kind, force }: z.output<typeof syncFormSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.#store(key);
    const run = await this.runs.request({
      store: key,
      full: kind === 'full',
      force: force !== undefined,
      trigger: 'api',
      requestedBy: actorNameOf(request),
    });
    const notice = run.created ? RUN_REQUESTED : RUN_UNDER_WAY;
    await seeOther(this.sessions, request, response, `/runs/${run.id}`, notice);
  }

  @Post(':key/retry')
  @Allow('admin')
  @Audited('store retry')
  async retry(@Param('key') key: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { health, woken } = await this.health.retry(key);
    const waiting = counted(woken.writeBacks, 'write');
    const notice =
      health.state === 'ok'
        ? `Store ${key} works again. ${waiting} and ${counted(woken.runs, 'run')} continue now.`
        : `Store ${key} still refuses access: ${health.reason ?? NO_PAUSE_REASON}`;
    await seeOther(this.sessions, request, response, '/', notice.slice(0, NOTICE_LENGTH));
  }

  #store(key: string): Store {
    const store = this.connections.findStore(key);
    if (!store) throw new NotFoundException(unknownStore(key.slice(0, 100)));
    return store;
  }
}
