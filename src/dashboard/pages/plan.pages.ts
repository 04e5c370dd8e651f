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
import { Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { ACTION_KINDS, PLAN_STATES, PlanOperations } from '../../operations/plans.js';
import { Connections } from '../../connections/connections.js';
import { PageErrorFilter } from '../page-error.filter.js';
import {
  datedListShape,
  formQuery,
  offsetSchema,
  pageAt,
  ROWS_OF_A_PAGE,
  searchSchema,
} from '../page-query.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { pathTo } from '../elements.js';
import { planFragment, planPage, type PlanView } from '../views/plan.js';
import { plansPage } from '../views/plans.js';
import { kindFormSchema } from './store.pages.js';
import { unknownStore } from '../views/problem.js';

const planTakenText = (taken: number, refused: number): string =>
  refused === 0
    ? `The run applies all ${taken} entries.`
    : `The run applies ${taken} entries; ${refused} were refused, because they changed.`;

const listSchema = formQuery(datedListShape(PLAN_STATES));
const querySchema = formQuery({
  offset: offsetSchema,
  product: searchSchema,
  search: searchSchema,
  kind: z.enum(ACTION_KINDS).optional(),
});
const planFormSchema = kindFormSchema.extend({ product: searchSchema });

/** Plans: what a sync would do, and its application. */
@Controller()
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class PlanPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly plans: PlanOperations,
    private readonly connections: Connections,
  ) {}

  @Post('stores/:key/plan')
  @Allow('admin')
  @Audited('plan save')
  async start(
    @Param('key') key: string,
    @Body({ schema: planFormSchema }) { kind, product }: z.output<typeof planFormSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!this.connections.findStore(key)) throw new NotFoundException(unknownStore(key.slice(0, 100)));
    const { id } = await this.plans.start(key, kind === 'full');
    await seeOther(
      this.sessions,
      request,
      response,
      pathTo(`/plans/${id}`, { product }),
      'The plan is being made.',
    );
  }

  @Get('plans')
  @Allow('viewer')
  async list(
    @Query({ schema: listSchema }) query: z.output<typeof listSchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { offset, state, store, from, to, search } = query;
    const given = { state, store, from, to, search };
    const [plans, counts] = await Promise.all([
      this.plans.list({ ...pageAt(offset), ...given }),
      this.plans.counts(given),
    ]);
    const stores = this.connections.stores.map(({ key }) => key);
    return plansPage(visitorOf(this.sessions, request, response), plans, { given, counts, stores });
  }

  @Get('plans/:id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return planPage(visitorOf(this.sessions, request, response), await this.#view(id, query));
  }

  /** Only the changing part of the page, for its script. */
  @Get('plans/:id/progress')
  @Allow('viewer')
  async progress(
    @Param('id') id: string,
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
  ): Promise<string> {
    return planFragment(await this.#view(id, query)).text;
  }

  @Post('plans/:id/apply')
  @Allow('admin')
  @Audited('plan apply')
  async apply(@Param('id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { id: run, entries, refused } = await this.plans.apply(id);
    const notice = planTakenText(entries - refused, refused);
    await seeOther(this.sessions, request, response, `/runs/${run}`, notice);
  }

  async #view(
    id: string,
    { offset, product, kind, search }: z.output<typeof querySchema>,
  ): Promise<PlanView> {
    const plan = await this.plans.show(id);
    if (plan === null) throw new NotFoundException(`No plan found for “${id.slice(0, 100)}”.`);
    const page = { limit: ROWS_OF_A_PAGE, offset };
    const filter = { externalId: product, kind, search };
    const [entries, kinds, cost] = await Promise.all([
      this.plans.entries(plan.id, { ...page, ...filter }),
      this.plans.entryKinds(plan.id, filter),
      plan.state === 'saved' ? this.plans.cost(plan.id) : null,
    ]);
    const given = { product, kind, search };
    return { plan, cost, kinds, given, entries: entries ?? { items: [], total: 0, ...page } };
  }
}
