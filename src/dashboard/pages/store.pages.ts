import { Body, Param } from '@nestjs/common';
import { z } from 'zod';
import { OverviewReader } from '../../operations/overview.js';
import { RunOperations } from '../../operations/runs.js';
import { StatusReader } from '../../operations/status.js';
import { StoreHealthOperations } from '../../operations/store-health.js';
import { Clock } from '../../runtime/clock.js';
import { Connections } from '../../connections/connections.js';
import { nextStart } from '../../connections/next-start.js';
import { counted } from '../elements.js';
import { pageAt } from '../page-query.js';
import { Form, Page, Pages } from '../page-routes.js';
import { ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { storePage } from '../views/store.js';

export const RUN_REQUESTED = 'The run was requested.';
export const RUN_UNDER_WAY = 'This store already has an active run, shown here.';

const RUNS_CHARTED = 20;
const NOTICE_LENGTH = 300;
export const kindFormSchema = z.looseObject({ kind: z.enum(['changed', 'full']).default('changed') });
/** `force` is there when the run shall ignore the share limits. */
const syncFormSchema = kindFormSchema.extend({ force: z.literal('true').optional() });

/** One store: its state, and what a person can do about it. */
@Pages('stores')
export class StorePages {
  constructor(
    private readonly status: StatusReader,
    private readonly overview: OverviewReader,
    private readonly health: StoreHealthOperations,
    private readonly runs: RunOperations,
    private readonly connections: Connections,
    private readonly clock: Clock,
  ) {}

  @Page(':key')
  async show(@Param('key') key: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    const store = this.connections.namedStore(key);
    const [status, { coverage, days, problems, without }, runs] = await Promise.all([
      this.status.store(store),
      this.overview.store(store),
      this.runs.list({ ...pageAt(0, RUNS_CHARTED), store: key }),
    ]);
    return storePage(visitor, {
      status,
      coverage,
      days,
      without,
      problems,
      schedule: store.settings.schedule,
      nextRunAt: nextStart(store.settings, this.clock.now()),
      runs: runs.items,
    });
  }

  @Form(':key/sync', 'admin', 'sync')
  async sync(
    @Param('key') key: string,
    @Body({ schema: syncFormSchema }) { kind, force }: z.output<typeof syncFormSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const run = await this.runs.request({
      store: key,
      full: kind === 'full',
      force: force !== undefined,
      trigger: 'api',
      requestedBy: visit.name,
    });
    const notice = run.created ? RUN_REQUESTED : RUN_UNDER_WAY;
    return visit.goTo(`/runs/${run.id}`, notice);
  }

  @Form(':key/retry', 'admin', 'store retry')
  async retry(@Param('key') key: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    const { health, woken } = await this.health.retry(key);
    const waiting = counted(woken.writeBacks, 'write');
    const notice =
      health.state === 'ok'
        ? `Store ${key} works again. ${waiting} and ${counted(woken.runs, 'run')} continue now.`
        : `Store ${key} still refuses access: ${health.reason ?? 'The store gave no reason.'}`;
    return visit.goTo('/', notice.slice(0, NOTICE_LENGTH));
  }
}
