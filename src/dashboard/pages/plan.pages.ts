import { Body, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { ACTION_KINDS, PLAN_STATES, PlanOperations } from '../../operations/plans.js';
import { Connections } from '../../connections/connections.js';
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
import { pathTo } from '../elements.js';
import { planPage, type PlanView } from '../views/plan.js';
import { plansPage } from '../views/plans.js';
import { kindFormSchema } from './store.pages.js';

export const planTakenText = (taken: number, refused: number): string =>
  refused === 0
    ? `The run applies ${taken === 1 ? 'the one entry' : `all ${taken} entries`}.`
    : `The run applies ${taken} ${taken === 1 ? 'entry' : 'entries'}; ${refused} ${refused === 1 ? 'was refused, because it changed' : 'were refused, because they changed'}.`;

const listSchema = formQuery(datedListShape(PLAN_STATES));
const querySchema = formQuery({
  offset: offsetSchema,
  product: searchSchema,
  search: searchSchema,
  kind: z.enum(ACTION_KINDS).optional(),
});
const planFormSchema = kindFormSchema.extend({ product: searchSchema });

/** Plans: what a sync would do, and its application. */
@Pages()
export class PlanPages {
  constructor(
    private readonly plans: PlanOperations,
    private readonly connections: Connections,
  ) {}

  @Form('stores/:key/plan', 'admin', 'plan save')
  async start(
    @Param('key') key: string,
    @Body({ schema: planFormSchema }) { kind, product }: z.output<typeof planFormSchema>,
    @ThisVisit() visit: Visit,
  ): Promise<NextPage> {
    const { id } = await this.plans.start(key, kind === 'full');
    return visit.goTo(pathTo(`/plans/${id}`, { product }), 'The plan is being made.');
  }

  @Page('plans')
  async list(
    @Query({ schema: listSchema }) query: z.output<typeof listSchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    const { offset, ...given } = query;
    const [plans, counts] = await Promise.all([
      this.plans.list({ ...pageAt(offset), ...given }),
      this.plans.counts(given),
    ]);
    const stores = this.connections.storeKeys;
    return plansPage(visitor, plans, { given, counts, stores });
  }

  @Page('plans/:id')
  async show(
    @Param('id') id: string,
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @ThisVisitor() visitor: Visitor,
  ): Promise<string> {
    return planPage(visitor, await this.#view(id, query));
  }

  @Form('plans/:id/apply', 'admin', 'plan apply')
  async apply(@Param('id') id: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    const { id: run, entries, refused } = await this.plans.apply(id, visit.name);
    const notice = planTakenText(entries - refused, refused);
    return visit.goTo(`/runs/${run}`, notice);
  }

  async #view(
    id: string,
    { offset, product, kind, search }: z.output<typeof querySchema>,
  ): Promise<PlanView> {
    const plan = await this.plans.show(id);
    const page = { limit: ROWS_OF_A_PAGE, offset };
    const filter = { externalId: product, kind, search };
    const [entries, kinds, cost] = await Promise.all([
      this.plans.entries(plan.id, { ...page, ...filter }),
      this.plans.entryKinds(plan.id, filter),
      plan.state === 'saved' ? this.plans.cost(plan.id) : null,
    ]);
    const given = { product, kind, search };
    return { plan, cost, kinds, given, entries };
  }
}
