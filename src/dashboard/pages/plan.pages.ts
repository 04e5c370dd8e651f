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
import { ZodPipe } from '../../api/zod.pipe.js';
import { PlanOperations } from '../../operations/plans.js';
import { Sites } from '../../sites/sites.js';
import { messages } from '../messages.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { pageListSchema, ROWS_OF_A_PAGE, searchSchema } from '../page-query.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { pathTo } from '../elements.js';
import { planFragment, planPage, type PlanView } from '../views/plan.js';
import { kindFormSchema } from './store.pages.js';

const querySchema = pageListSchema([]).extend({ product: searchSchema });
const planFormSchema = kindFormSchema.extend({ product: searchSchema });

/** Plans: what a sync would do, and its application. */
@Controller()
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class PlanPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly plans: PlanOperations,
    private readonly sites: Sites,
  ) {}

  @Post('stores/:key/plan')
  @Allow('admin')
  @Audited('plan save')
  async start(
    @Param('key') key: string,
    @Body(new ZodPipe(planFormSchema)) { kind, product }: z.output<typeof planFormSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!this.sites.findStore(key)) throw new NotFoundException(messages.unknownStore(key.slice(0, 100)));
    const { id } = await this.plans.start(key, kind === 'full');
    seeOther(this.sessions, request, response, pathTo(`/plans/${id}`, { product }), messages.planStarted);
  }

  @Get('plans/:id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Query(new ZodPipe(querySchema)) query: z.output<typeof querySchema>,
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
    @Query(new ZodPipe(querySchema)) query: z.output<typeof querySchema>,
  ): Promise<string> {
    return planFragment(await this.#view(id, query)).text;
  }

  @Post('plans/:id/apply')
  @Allow('admin')
  @Audited('plan apply')
  async apply(@Param('id') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { id: run, entries, refused } = await this.plans.apply(id);
    const notice = messages.planTaken(entries - refused, refused);
    seeOther(this.sessions, request, response, `/runs/${run}`, notice);
  }

  async #view(id: string, { offset, product }: z.output<typeof querySchema>): Promise<PlanView> {
    const plan = await this.plans.show(id);
    if (plan === null) throw new NotFoundException(messages.unknownPlan(id.slice(0, 100)));
    const page = { limit: ROWS_OF_A_PAGE, offset };
    const entries = await this.plans.entries(id, page, product);
    const cost = plan.state === 'saved' ? await this.plans.cost(id) : null;
    return { plan, cost, product, entries: entries ?? { items: [], total: 0, ...page } };
  }
}
